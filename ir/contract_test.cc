// docs/contract.md must list the nodes, their fields and their stages as the code defines them.

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "ir/binary.h"
#include "ir/verifier.h"

namespace lathe::ir {
namespace {

std::string Describe(const FieldInfo& field) {
  std::string out = "`" + std::string(field.name) + "` ";
  if (field.role == FieldRole::kDefine) out += "def ";
  if (field.role == FieldRole::kRefer) out += "ref ";
  switch (field.type) {
    case FieldType::kNode:
      return out + (field.nullable ? "node?" : "node");
    case FieldType::kList:
      return out + "list";
    case FieldType::kDict:
      return out + "dict";
    case FieldType::kString:
      return out + "string";
    case FieldType::kInt:
      return out + "int";
    case FieldType::kFloat:
      return out + "float";
    case FieldType::kBool:
      return out + "bool";
    case FieldType::kDType:
      return out + "type";
    case FieldType::kBlob:
      return out + "blob";
    case FieldType::kEnum:
      break;
  }
  out += "enum(";
  for (size_t i = 0; i < field.enum_names.size(); ++i) {
    out += (i == 0 ? "" : " ") + std::string(field.enum_names[i]);
  }
  return out + ")";
}

std::string Table() {
  std::string out = "| number | kind | fields | stages |\n|---|---|---|---|\n";
  for (NodeKind kind : AllNodeKinds()) {
    out += "| " + std::to_string(static_cast<int>(kind)) + " | " + NodeKindName(kind) + " | ";
    bool first = true;
    for (const FieldInfo& field : FieldsOf(kind)) {
      out += (first ? "" : ", ") + Describe(field);
      first = false;
    }
    std::string stages;
    if (StageAllows(Stage::kTile, kind)) stages += " tile";
    if (StageAllows(Stage::kFlat, kind)) stages += " flat";
    out += " |" + stages + " |\n";
  }
  return out;
}

TEST(Contract, PageListsTheNodesAsTheyAre) {
  std::ifstream in("docs/contract.md");
  std::stringstream page;
  page << in.rdbuf();
  ASSERT_FALSE(page.str().empty());
  EXPECT_NE(page.str().find(Table()), std::string::npos)
      << "docs/contract.md lacks this very table:\n"
      << Table();
  const std::string version =
      "Version " + std::to_string(kBinaryVersion) + ", level " + std::to_string(kBinaryLevel) + ".";
  EXPECT_NE(page.str().find(version), std::string::npos) << version;
}

}  // namespace
}  // namespace lathe::ir
