#include "backends/llvm/optimize.h"

#include "backends/llvm/interleave.h"
#include "backends/llvm/minmax.h"
#include "backends/llvm/overlap.h"
#include "backends/llvm/stop.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Vectorize/LoopVectorize.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

namespace lathe::llvm_backend {
namespace {

// True if a function of the module calls the code of another one. Functions that must not be
// inlined (the helpers that raise errors) do not count.
bool CallsItself(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::NoInline)) continue;
    for (const llvm::User* user : function.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call != nullptr && call->getCalledFunction() == &function) return true;
    }
  }
  return false;
}

void AddOwnPasses(llvm::FunctionPassManager& passes) {
  passes.addPass(MinMaxPass());
  passes.addPass(OverlapPass());
  passes.addPass(InterleavePass());
}

// The order is that of LLVM's own pipeline: clean up, loop-invariant code, induction variables and
// unrolling, redundant loads, vectors, and then a second clean-up.
llvm::FunctionPassManager FunctionPasses(int level) {
  using llvm::SimplifyCFGOptions;
  llvm::FunctionPassManager passes;
  const llvm::LICMOptions hoist(llvm::SetLicmMssaOptCap, llvm::SetLicmMssaNoAccForPromotionCap,
                                /*AllowSpeculation=*/true);
  auto clean = [&] {
    passes.addPass(llvm::SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
    passes.addPass(llvm::InstCombinePass());
  };
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  clean();
  passes.addPass(llvm::ReassociatePass());
  llvm::LoopPassManager invariant;
  invariant.addPass(llvm::LICMPass(hoist));
  invariant.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true, false));
  invariant.addPass(llvm::LICMPass(hoist));
  invariant.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/level == 3));
  passes.addPass(
      llvm::createFunctionToLoopPassAdaptor(std::move(invariant), /*UseMemorySSA=*/true));
  clean();
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopIdiomRecognizePass());
  loops.addPass(llvm::IndVarSimplifyPass());
  loops.addPass(llvm::LoopDeletionPass());
  loops.addPass(llvm::LoopFullUnrollPass(level));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::VectorCombinePass(/*TryEarlyFoldsOnly=*/true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::BDCEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(hoist), true));
  clean();

  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SLPVectorizerPass());
  passes.addPass(llvm::VectorCombinePass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(level)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InferAlignmentPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(hoist), true));
  passes.addPass(llvm::DivRemPairsPass());
  passes.addPass(llvm::SimplifyCFGPass());
  AddOwnPasses(passes);
  return passes;
}

struct Analyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;

  void Register(llvm::PassBuilder& builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }
};

void OptimizeFunctions(llvm::Module& module, llvm::TargetMachine& machine, int level, Stop& stop) {
  Analyses analyses;
  llvm::PassInstrumentationCallbacks callbacks;
  stop.Watch(callbacks);
  llvm::PassBuilder builder(&machine, {}, std::nullopt, &callbacks);
  analyses.Register(builder);
  llvm::FunctionPassManager passes = FunctionPasses(level);
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasOptNone()) continue;
    if (stop.Asked()) return;
    passes.run(function, analyses.functions);
    analyses.functions.clear(function, function.getName());
  }
}

void OptimizeModule(llvm::Module& module, llvm::TargetMachine& machine, int level, Stop& stop) {
  Analyses analyses;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation optnone(/*DebugLogging=*/false);
  optnone.registerCallbacks(callbacks);
  stop.Watch(callbacks);
  llvm::PassBuilder builder(&machine, {}, std::nullopt, &callbacks);
  analyses.Register(builder);
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2,
      llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes = level == 0
                                       ? builder.buildO0DefaultPipeline(levels[0])
                                       : builder.buildPerModuleDefaultPipeline(levels[level]);
  if (level >= 2) {
    llvm::FunctionPassManager own;
    AddOwnPasses(own);
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(own)));
  }
  passes.run(module, analyses.modules);
}

}  // namespace

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, int level, Stop& stop) {
  if (level < 2 || CallsItself(module))
    OptimizeModule(module, machine, level, stop);
  else
    OptimizeFunctions(module, machine, level, stop);
}

}  // namespace lathe::llvm_backend
