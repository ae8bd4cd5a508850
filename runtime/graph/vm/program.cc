// Programs as bytes:
//
//   "LATHEPRG"  u32 version  name
//   u32 types:      name  u32 constructors: name, i32 fields
//   u32 functions:  name  i32 params  i32 registers  u32 instructions:
//                   u8 op  i32 index  args  results  targets  drops, each a u32 count and i32 each
//   u32 entries:    i32 function  u32 params: name, type
//   u32 plans:      u32 size, the bytes of EncodePlan
//   16 byte digest of everything before
//
// Little endian; a text is its u32 size and its characters.
#include "runtime/graph/vm/program.h"

#include <utility>

#include "runtime/graph/bytes.h"
#include "runtime/status.h"

namespace lathe::runtime::vm {
namespace {

using graph::ByteReader;
using graph::PutDigest;
using graph::PutNumber;
using graph::PutText;

constexpr std::string_view kMagic = "LATHEPRG";
constexpr const char* kOpNames[] = {"run",  "tuple",  "construct", "field",  "closure",
                                    "call", "invoke", "move",      "branch", "switch",
                                    "jump", "return", "nothing"};

void Put32(std::string& out, int64_t number) { PutNumber(out, static_cast<uint64_t>(number), 4); }

void PutNumbers(std::string& out, const std::vector<int32_t>& numbers) {
  PutNumber(out, numbers.size(), 4);
  for (const int32_t number : numbers) Put32(out, number);
}

absl::Status Corrupt(size_t at, std::string_view what) {
  return MakeStatus(absl::StatusCode::kDataLoss, "program-corrupt",
                    {"the program is damaged at byte ", std::to_string(at), ": ", what});
}

absl::Status OtherVersion(uint64_t found) {
  return MakeStatus(absl::StatusCode::kUnimplemented, "program-version",
                    {"the program is of another version\nexpected: ",
                     std::to_string(kProgramVersion), "\nfound: ", std::to_string(found),
                     "\nhelp: compile the model again, or use the runtime of the compiler that "
                     "compiled it"});
}

// A list whose entries take at least `least` bytes each.
template <class T, class F>
bool ReadList(ByteReader& reader, size_t least, std::vector<T>* out, F read) {
  size_t count = 0;
  if (!reader.Count(least, &count)) return false;
  out->reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (!read(out->emplace_back())) return false;
  }
  return true;
}

bool ReadNumbers(ByteReader& reader, std::vector<int32_t>* out) {
  return ReadList(reader, 4, out, [&](int32_t& number) { return reader.Int32(&number); });
}

bool ReadInstruction(ByteReader& reader, Instruction& instruction) {
  uint64_t op = 0;
  if (!reader.Number(1, &op) || op > static_cast<uint64_t>(Instruction::Op::kNothing)) return false;
  instruction.op = static_cast<Instruction::Op>(op);
  return reader.Int32(&instruction.index) && ReadNumbers(reader, &instruction.args) &&
         ReadNumbers(reader, &instruction.results) && ReadNumbers(reader, &instruction.targets) &&
         ReadNumbers(reader, &instruction.drops);
}

bool ReadType(ByteReader& reader, ProgramType& type) {
  return reader.Text(&type.name) &&
         ReadList(reader, 8, &type.constructors, [&](ProgramConstructor& constructor) {
           return reader.Text(&constructor.name) && reader.Int32(&constructor.fields);
         });
}

bool ReadFunction(ByteReader& reader, ProgramFunction& function) {
  return reader.Text(&function.name) && reader.Int32(&function.params) &&
         reader.Int32(&function.registers) &&
         ReadList(reader, 21, &function.code,
                  [&](Instruction& instruction) { return ReadInstruction(reader, instruction); });
}

bool ReadEntry(ByteReader& reader, ProgramEntry& entry) {
  return reader.Int32(&entry.function) &&
         ReadList(reader, 8, &entry.params, [&](ProgramParam& param) {
           return reader.Text(&param.name) && reader.Text(&param.type);
         });
}

std::string Registers(const std::vector<int32_t>& numbers) {
  std::string text;
  for (const int32_t number : numbers)
    text += (text.empty() ? "r" : ", r") + std::to_string(number);
  return text;
}

// What `index` stands for.
std::string IndexText(const Program& program, const Instruction& instruction) {
  const auto index = static_cast<size_t>(instruction.index);
  switch (instruction.op) {
    case Instruction::Op::kRun: {
      std::string text = " plan " + std::to_string(index) + " [";
      bool first = true;
      for (const graph::PlanStep& step : program.plans[index].steps) {
        if (step.kind != graph::PlanStep::Kind::kKernel) continue;
        text += (first ? "" : ", ") + step.kernel;
        first = false;
      }
      return text + "]";
    }
    case Instruction::Op::kConstruct: {
      const ConstructorPlace place = ConstructorsOf(program)[index];
      const ProgramType& type = program.types[static_cast<size_t>(place.type)];
      return " " + type.name + "." + type.constructors[static_cast<size_t>(place.tag)].name;
    }
    case Instruction::Op::kSwitch:
      return " " + program.types[index].name;
    case Instruction::Op::kField:
      return " ." + std::to_string(index);
    case Instruction::Op::kClosure:
    case Instruction::Op::kCall:
      return " @" + program.functions[index].name;
    default:
      return "";
  }
}

}  // namespace

const char* OpName(Instruction::Op op) { return kOpNames[static_cast<size_t>(op)]; }

std::vector<ConstructorPlace> ConstructorsOf(const Program& program) {
  std::vector<ConstructorPlace> places;
  for (size_t type = 0; type < program.types.size(); ++type) {
    for (size_t tag = 0; tag < program.types[type].constructors.size(); ++tag)
      places.push_back({static_cast<int32_t>(type), static_cast<int32_t>(tag)});
  }
  return places;
}

std::string EncodeProgram(const Program& program) {
  std::string out(kMagic);
  PutNumber(out, kProgramVersion, 4);
  PutText(out, program.name);
  PutNumber(out, program.types.size(), 4);
  for (const ProgramType& type : program.types) {
    PutText(out, type.name);
    PutNumber(out, type.constructors.size(), 4);
    for (const ProgramConstructor& constructor : type.constructors) {
      PutText(out, constructor.name);
      Put32(out, constructor.fields);
    }
  }
  PutNumber(out, program.functions.size(), 4);
  for (const ProgramFunction& function : program.functions) {
    PutText(out, function.name);
    Put32(out, function.params);
    Put32(out, function.registers);
    PutNumber(out, function.code.size(), 4);
    for (const Instruction& instruction : function.code) {
      PutNumber(out, static_cast<uint64_t>(instruction.op), 1);
      Put32(out, instruction.index);
      PutNumbers(out, instruction.args);
      PutNumbers(out, instruction.results);
      PutNumbers(out, instruction.targets);
      PutNumbers(out, instruction.drops);
    }
  }
  PutNumber(out, program.entries.size(), 4);
  for (const ProgramEntry& entry : program.entries) {
    Put32(out, entry.function);
    PutNumber(out, entry.params.size(), 4);
    for (const ProgramParam& param : entry.params) {
      PutText(out, param.name);
      PutText(out, param.type);
    }
  }
  PutNumber(out, program.plans.size(), 4);
  for (const graph::Plan& plan : program.plans) PutText(out, graph::EncodePlan(plan));
  PutDigest(out, DigestOf(out));
  return out;
}

absl::StatusOr<Program> DecodeProgram(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(ByteReader body,
                         graph::ReadSealed(bytes, kMagic, {kProgramVersion, kProgramVersion},
                                           {Corrupt, OtherVersion}));
  Program program;
  if (!body.Text(&program.name)) return Corrupt(body.at(), "its name");
  if (!ReadList(body, 8, &program.types, [&](ProgramType& type) { return ReadType(body, type); }))
    return Corrupt(body.at(), "its data types");
  if (!ReadList(body, 16, &program.functions,
                [&](ProgramFunction& function) { return ReadFunction(body, function); }))
    return Corrupt(body.at(), "its functions");
  if (!ReadList(body, 8, &program.entries,
                [&](ProgramEntry& entry) { return ReadEntry(body, entry); }))
    return Corrupt(body.at(), "its entries");
  size_t plans = 0;
  if (!body.Count(4, &plans)) return Corrupt(body.at(), "its plans");
  for (size_t i = 0; i < plans; ++i) {
    uint64_t size = 0;
    std::string_view part;
    if (!body.Number(4, &size) || !body.Bytes(size, &part)) return Corrupt(body.at(), "its plans");
    LATHE_ASSIGN_OR_RETURN(graph::Plan plan, graph::DecodePlan(part));
    program.plans.push_back(std::move(plan));
  }
  if (body.left() != 0) return Corrupt(body.at(), "its parts do not fill it");
  LATHE_RETURN_IF_ERROR(CheckProgram(program));
  return program;
}

std::string ProgramText(const Program& program) {
  std::string text;
  for (const ProgramFunction& function : program.functions) {
    text += "function " + function.name + "(" + std::to_string(function.params) + " parameters, " +
            std::to_string(function.registers) + " registers)\n";
    for (size_t i = 0; i < function.code.size(); ++i) {
      const Instruction& instruction = function.code[i];
      text += "  " + std::to_string(i) + ": ";
      if (!instruction.results.empty()) text += Registers(instruction.results) + " = ";
      text += OpName(instruction.op) + IndexText(program, instruction);
      if (!instruction.args.empty()) text += " " + Registers(instruction.args);
      for (const int32_t target : instruction.targets) text += " -> " + std::to_string(target);
      if (!instruction.drops.empty()) text += "  drop " + Registers(instruction.drops);
      text += "\n";
    }
  }
  return text;
}

}  // namespace lathe::runtime::vm
