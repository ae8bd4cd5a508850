// Lowering, building, and queries about passes and options.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/build_module.h"
#include "driver/compile.h"
#include "driver/explain/explain.h"
#include "driver/host_source.h"
#include "driver/lower_device.h"
#include "driver/target_context.h"
#include "lower/hint_notes.h"
#include "lower/intrinsics.h"
#include "lower/pipeline.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "runtime/module.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "te/workload_key.h"

namespace lathe::python {
namespace {

using runtime::Function;
using runtime::Value;
using Values = std::vector<Value>;

// Adds the target's properties that passes ask for, if there is a target.
lower::PassContext ContextFor(const Maybe<TargetRef>& target, lower::PassContext context) {
  if (!target) return context;
  const target::Target& item = (*target)->item;
  context = driver::ContextFor(item, std::move(context));
  if (driver::TakesKernels(item))
    context.device = std::make_shared<const target::Machine>(target::MachineOf(item));
  return context;
}

driver::ExplainOptions Sizes(const Values& pairs) {
  driver::ExplainOptions options;
  for (const Value& item : pairs) {
    const auto pair = item.As<Values>();
    options.sizes[pair.at(0).As<std::string>()] = pair.at(1).As<int64_t>();
  }
  return options;
}

}  // namespace

plugins::OutputKind OutputKindOf(const std::string& name) {
  plugins::OutputKind kind = plugins::OutputKind::kModule;
  if (!plugins::OutputKindFromName(name, &kind)) {
    throw Error(Diagnostic{.name = "output-kind",
                           .message = "`" + name + "` is no kind of output",
                           .expected = "`object`, `assembly`, `ir` or `source`"});
  }
  return kind;
}

// The parts: [[option, value]...], [disabled passes], verify, after_pass or None, at_border or
// None, user_passes or None, time limit in seconds (0: none), seconds already spent, isolate,
// note or None.
// `at_border` is called between passes: if it raises (KeyboardInterrupt), the compilation ends.
lower::PassContext ContextOf(const Values& parts) {
  lower::PassContext context;
  for (const Value& item : parts.at(0).As<Values>()) {
    const auto pair = item.As<Values>();
    context.Set(pair.at(0).As<std::string>(), pair.at(1).As<int64_t>());
  }
  for (const std::string& name : parts.at(1).As<std::vector<std::string>>())
    context.disabled.insert(name);
  context.verify = parts.at(2).As<bool>();
  if (!parts.at(3).is_none()) {
    context.after_pass = [after = parts.at(3).As<Function>()](
                             const lower::Pass& pass, const ir::Module& before,
                             const ir::Module& module,
                             double seconds) { after(pass.name, before, module, seconds); };
  }
  if (!parts.at(4).is_none()) {
    context.cancelled = [at_border = parts.at(4).As<Function>()] {
      at_border();
      return false;
    };
  }
  // Calls the user's passes after each of lathe's passes, with that pass's name. None means that
  // the module is unchanged.
  if (!parts.at(5).is_none()) {
    context.user_passes = [run = parts.at(5).As<Function>()](const lower::Pass& pass,
                                                             const ir::Module& module) {
      const Value made = run(pass.name, module);
      return made.is_none() ? module : made.As<ir::Module>();
    };
  }
  context.time_limit = parts.at(6).As<double>();
  const std::chrono::duration<double> spent(parts.at(7).As<double>());
  context.time_begun = std::chrono::steady_clock::now() -
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(spent);
  context.isolate = parts.at(8).As<bool>();
  if (!parts.at(9).is_none()) {
    context.note = [note = parts.at(9).As<Function>()](const Diagnostic& what) {
      note(lower::NoteText(what));
    };
  }
  return context;
}

// [[tensor, buffer]...]
schedule::TensorBuffers BindsOf(const Values& pairs) {
  schedule::TensorBuffers binds;
  for (const Value& item : pairs) {
    const auto pair = item.As<Values>();
    binds.emplace_back(pair.at(0).As<ir::Tensor>(), pair.at(1).As<ir::Buffer>());
  }
  return binds;
}

void RegisterDriver() {
  Def("driver.version", [] { return std::string(driver::kVersion); });
  Def("driver.workload_key", [](const std::vector<ir::NodeRef>& args, const TargetRef& target) {
    const target::Target canonical = OrThrow(target::CanonicalTarget(target->item));
    return te::WorkloadKey(args, canonical.ToString()).ToString();
  });
  Def("driver.lower", [](const ScheduleRef& s, const std::vector<ir::NodeRef>& args,
                         const std::string& name, const Values& context, const Values& binds) {
    return driver::Lower(s->item, args, name, ContextOf(context), BindsOf(binds));
  });
  Def("driver.build", [](const ir::Module& module, const TargetRef& target, const Values& context) {
    return OrThrow(driver::BuildModule(module, target->item, ContextOf(context),
                                       {.cache = &driver::CompileCache::Default()}));
  });
  Def("driver.compile", [](const ir::Module& module, const TargetRef& target,
                           const std::string& output, const Values& context) {
    return Value::Bytes(
        OrThrow(driver::Compile(module, target->item, OutputKindOf(output), ContextOf(context))));
  });
  // What the host's code generator writes for the functions that launch the kernels.
  Def("driver.host_source", [](const ir::Module& module, const TargetRef& target,
                               const std::string& output, const Values& context) {
    return OrThrow(
        driver::HostSource(module, target->item, OutputKindOf(output), ContextOf(context)));
  });
  Def("driver.export", [](const runtime::Module& module, const std::string& path,
                          const std::string& compiler, const std::string& symbol) {
    const driver::ExportOptions options = {.compiler = compiler, .symbol = symbol};
    runtime::ThrowIfError(driver::ExportLibrary(module, path, options));
  });
  // [[name, description, stage after it]...] of all pipelines.
  Def("driver.passes", [] {
    Values passes;
    for (const lower::Pass& pass : lower::EveryPass()) {
      Values one;
      one.emplace_back(std::string(pass.name));
      one.emplace_back(std::string(pass.what));
      one.emplace_back(std::string(ir::StageName(pass.after)));
      passes.emplace_back(std::move(one));
    }
    return passes;
  });
  Def("driver.run_pass", [](const ir::Module& module, const std::string& name,
                            const Values& context, const Maybe<TargetRef>& target) {
    for (const lower::Pass& pass : lower::EveryPass()) {
      if (name == pass.name)
        return lower::RunPasses(module, {&pass, 1}, ContextFor(target, ContextOf(context)));
    }
    throw Error(Diagnostic{.name = "unknown-pass", .message = "there is no pass `" + name + "`"});
  });
  // If a rule returns None, other rules may handle the call.
  Def("driver.register_intrinsic_rule",
      [](const std::string& intrinsic, const std::string& key, int level, const Function& rule) {
        lower::RegisterIntrinsicRule(intrinsic, key, level, [rule](const ir::Call& call) {
          return OrNull(rule(ir::NodeRef(&call)).As<Maybe<ir::Expr>>());
        });
      });
  Def("driver.options", [] {
    Values options;
    for (const lower::OptionInfo& info : lower::AllOptions()) {
      Values one;
      one.emplace_back(std::string(info.name));
      one.emplace_back(info.fallback);
      one.emplace_back(std::string(info.what));
      options.emplace_back(std::move(one));
    }
    return options;
  });
  Def("driver.explain",
      [](const ScheduleRef& s, const std::vector<ir::NodeRef>& args, const std::string& name,
         const Values& sizes, const std::string& format) {
        const driver::Explanation explanation = driver::Explain(s->item, args, name, Sizes(sizes));
        if (format == "json") return driver::ToJson(explanation).Dump();
        return format == "html" ? driver::ToHtml(explanation)
                                : driver::ToText(explanation, format == "color");
      });
}

}  // namespace lathe::python
