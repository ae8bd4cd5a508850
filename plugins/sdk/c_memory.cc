// Loads, stores and addresses.
#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "plugins/sdk/c_emitter.h"

namespace lathe::sdk::internal {

using ir::As;

namespace {

constexpr int kTexel = 4;  // elements of an image that lie together

int64_t LowestBit(int64_t x) { return x & -x; }

std::string Plus(const std::string& index, int64_t more) {
  return more == 0 ? index : index + " + " + std::to_string(more);
}

}  // namespace

const CEmitter::Memory& CEmitter::MemoryOf(const ir::BufferNode& buffer) {
  const auto found = memory_.find(buffer.data.get());
  if (found == memory_.end())
    NotFlat("the data of buffer `" + buffer.name + "` is used where nothing defines it");
  if (buffer.elem_offset && !ir::IsZero(buffer.elem_offset))
    NotFlat("buffer `" + buffer.name + "` has an offset");
  return found->second;
}

CEmitter::Access CEmitter::PopAccess(const ir::BufferNode& buffer,
                                     const std::vector<ir::Expr>& indices, int lanes) {
  Access access;
  access.memory = &MemoryOf(buffer);
  access.element = buffer.dtype.element_of();
  access.group = buffer.dtype.lanes();
  const size_t rank = access.memory->is_image ? 2 : 1;
  if (indices.size() != rank)
    NotFlat("buffer `" + buffer.name + "` is accessed by " + std::to_string(indices.size()) +
            " indices");
  access.index = Pop();
  access.index_expr = indices.back();
  if (rank == 2) access.row = Scalar(Pop());
  LATHE_CHECK(access.index.type.lanes() * access.group == lanes)
      << "an access to `" << buffer.name << "` has other lanes than its index";
  if (!access.memory->is_image) {
    access.pointer = access.memory->name;
    if (access.memory->element != access.element) {
      const bool constant =
          access.memory->scope == ir::memory_scope::kConstant ||
          (access.memory->parameter != nullptr && written_.count(access.memory->parameter) == 0);
      access.pointer = "((" + d_.Pointer(access.memory->scope, access.element, constant) + ")" +
                       access.pointer + ")";
    }
  }
  return access;
}

int64_t CEmitter::AlignmentOf(const Access& access) const {
  const auto* ramp = As<ir::Ramp>(access.index_expr);
  const int64_t multiple = KnownMultiple(ramp == nullptr ? access.index_expr : ramp->base);
  const int64_t bytes = LowestBit(std::int64_t{access.element.bytes()} * access.group);
  if (multiple == 0) return access.memory->alignment;
  const int64_t known = std::min<int64_t>(LowestBit(multiple), 4096) * bytes;
  return std::min(access.memory->alignment, known);
}

bool CEmitter::IsContiguous(const Access& access) const {
  if (access.index.type.is_scalar()) return access.group > 1;
  const auto* ramp = As<ir::Ramp>(access.index_expr);
  return ramp != nullptr && ir::IsOne(ramp->stride);
}

std::string CEmitter::FirstElement(const Access& access) const {
  const std::string first = access.index.is_ramp() ? access.index.base : access.index.parts.at(0);
  return access.group == 1 ? first : first + " * " + std::to_string(access.group);
}

std::vector<std::string> CEmitter::ElementsOf(const Access& access) {
  std::vector<std::string> out;
  if (access.index.type.is_scalar() && access.group == 1)
    return {access.pointer + "[" +
            (host_ ? Bare(access.index.parts.at(0)) : access.index.parts.at(0)) + "]"};
  if (IsContiguous(access)) {
    const int count = access.index.type.lanes() * access.group;
    for (int k = 0; k < count; ++k)
      out.push_back(access.pointer + "[" + Plus(FirstElement(access), k) + "]");
    return out;
  }
  CValue index = access.index;
  Name(&index);
  for (const std::string& lane : Lanes(index)) {
    for (int g = 0; g < access.group; ++g) {
      const std::string first =
          access.group == 1 ? lane : lane + " * " + std::to_string(access.group);
      out.push_back(access.pointer + "[" + Plus(first, g) + "]");
    }
  }
  return out;
}

std::string CEmitter::FromMemory(DataType part, const std::string& x) {
  if (!part.is_bool()) return x;
  const DataType bytes = DataType::UInt(8, part.lanes());
  return d_.Compare("!=", bytes, x, Zero(bytes));
}

std::string CEmitter::ToMemory(DataType part, const std::string& x) {
  if (!part.is_bool()) return x;
  return d_.Convert(DataType::UInt(8, part.lanes()), part, x);
}

CValue CEmitter::LoadAll(Access& access, DataType type) {
  if (access.memory->is_image) return LoadImage(access, type);
  if (type.is_scalar()) {
    return {.type = type,
            .parts = {FromMemory(type, ElementsOf(access)[0])},
            .depth = access.index.depth + 1};
  }
  const DataType part = PartOf(type);
  if (access.index.is_splat() && access.group == 1) {
    const std::string index = access.index.base;
    return {.type = type,
            .base = FromMemory(type.element_of(), access.pointer + "[" + index + "]"),
            .depth = access.index.depth + 1};
  }
  Name(&access.index);
  if (IsContiguous(access)) {
    const int64_t alignment = AlignmentOf(access);
    const int width = d_.MemoryLanes(access.element, access.memory->scope, type.lanes(), alignment);
    LATHE_CHECK(width >= 1 && type.lanes() % width == 0) << "MemoryLanes gives " << width;
    if (width > 1 && (part.lanes() == width || !type.is_bool())) {
      CValue out{.type = type, .depth = 2};
      for (int k = 0; k < type.lanes(); k += width) {
        const DataType chunk =
            (type.is_bool() ? DataType::UInt(8) : type.element_of()).with_lanes(width);
        const std::string loaded = d_.LoadVector(
            chunk, access.memory->scope,
            "(" + access.pointer + " + " + Plus(FirstElement(access), k) + ")",
            std::min(alignment, LowestBit(int64_t{k} * access.element.bytes() | 4096)));
        if (part.lanes() == width) {
          out.parts.push_back(FromMemory(part, loaded));
          continue;
        }
        const std::string name = Named(chunk, loaded);
        for (int lane = 0; lane < width; ++lane) out.parts.push_back(d_.Lane(chunk, name, lane));
      }
      return out;
    }
  }
  std::vector<std::string> lanes;
  for (const std::string& element : ElementsOf(access))
    lanes.push_back(FromMemory(type.element_of(), element));
  return FromLanes(type, lanes);
}

void CEmitter::StoreAll(Access& access, DataType type, CValue value) {
  if (access.memory->is_image) return StoreImage(access, type, std::move(value));
  if (type.is_scalar()) {
    out_.Add(ElementsOf(access)[0] + " = " + Bare(ToMemory(type, Scalar(std::move(value)))) + ";");
    return;
  }
  const DataType part = PartOf(type);
  Name(&access.index);
  // Reads the whole value before writing any of it.
  Materialise(&value);
  if (value.parts.size() > 1) Name(&value);
  if (IsContiguous(access)) {
    const int64_t alignment = AlignmentOf(access);
    const int width = d_.MemoryLanes(access.element, access.memory->scope, type.lanes(), alignment);
    LATHE_CHECK(width >= 1 && type.lanes() % width == 0) << "MemoryLanes gives " << width;
    if (width > 1 && (part.lanes() == width || !type.is_bool())) {
      const DataType chunk =
          (type.is_bool() ? DataType::UInt(8) : type.element_of()).with_lanes(width);
      for (int k = 0; k < type.lanes(); k += width) {
        const auto at = static_cast<size_t>(k / part.lanes());
        std::string x;
        if (part.lanes() == width) {
          x = ToMemory(part, value.parts[at]);
        } else {
          const auto begin = value.parts.begin() + static_cast<std::ptrdiff_t>(at);
          x = d_.Compose(chunk, std::vector<std::string>(begin, begin + width));
        }
        out_.Add(d_.StoreVector(
                     chunk, access.memory->scope,
                     "(" + access.pointer + " + " + Plus(FirstElement(access), k) + ")", x,
                     std::min(alignment, LowestBit(int64_t{k} * access.element.bytes() | 4096))) +
                 ";");
      }
      return;
    }
  }
  const std::vector<std::string> lanes = Lanes(std::move(value));
  const std::vector<std::string> elements = ElementsOf(access);
  for (size_t i = 0; i < lanes.size(); ++i)
    out_.Add(elements[i] + " = " + ToMemory(type.element_of(), lanes[i]) + ";");
}

void CEmitter::EmitLoad(const ir::Load& load) {
  const auto* buffer = As<ir::BufferNode>(load.source);
  if (buffer == nullptr) NotFlat("a tensor is read");
  CValue mask;
  if (load.mask) mask = Pop();
  Access access = PopAccess(*buffer, load.indices, load.dtype.lanes());
  const int64_t* constant = load.mask ? ir::AsConstInt(load.mask) : nullptr;
  if (!load.mask || (constant != nullptr && *constant != 0))
    return Push(LoadAll(access, load.dtype));
  const DataType scalar = load.dtype.element_of();
  if (load.dtype.is_scalar()) {
    out_.BeginCapture();
    CValue value = LoadAll(access, load.dtype);
    const int depth = std::max(value.depth, mask.depth) + 1;
    const std::string text = Scalar(std::move(value));
    CLines::Captured before = out_.EndCapture();
    if (before.empty())
      return PushText(
          scalar, "(" + Scalar(std::move(mask)) + " ? " + text + " : " + Zero(scalar) + ")", depth);
    const std::string name = NewName("t");
    out_.Add(d_.Type(scalar) + " " + name + " = " + Zero(scalar) + ";");
    out_.Open("if (" + Bare(Scalar(std::move(mask))) + ") {");
    out_.Add(std::move(before));
    out_.Add(name + " = " + text + ";");
    out_.Close();
    return PushText(scalar, name, 0);
  }
  const DataType part = PartOf(load.dtype);
  if (mask.is_splat()) {
    CValue out{.type = load.dtype};
    Name(&access.index);
    for (int i = 0; i < PartsOf(load.dtype); ++i) {
      out.parts.push_back(NewName("t"));
      out_.Add(d_.Type(part) + " " + out.parts.back() + " = " + Zero(part) + ";");
    }
    out_.Open("if (" + Bare(mask.base) + ") {");
    CValue value = LoadAll(access, load.dtype);
    Materialise(&value);
    for (size_t i = 0; i < out.parts.size(); ++i)
      out_.Add(out.parts[i] + " = " + value.parts[i] + ";");
    out_.Close();
    return Push(std::move(out));
  }
  if (access.memory->is_image) CDialect::Unsupported("loads of images under a mask");
  Name(&access.index);
  Name(&mask);
  const std::vector<std::string> conditions = Lanes(std::move(mask));
  const std::vector<std::string> elements = ElementsOf(access);
  std::vector<std::string> lanes;
  for (size_t i = 0; i < elements.size(); ++i)
    lanes.push_back("(" + conditions[i] + " ? " + FromMemory(scalar, elements[i]) + " : " +
                    Zero(scalar) + ")");
  Push(FromLanes(load.dtype, lanes));
}

void CEmitter::EmitStore(const ir::Store& store) {
  CValue mask;
  if (store.mask) mask = Pop();
  Access access = PopAccess(*store.buffer, store.indices, store.value->dtype.lanes());
  CValue value = Pop();
  const DataType type = store.value->dtype;
  const int64_t* constant = store.mask ? ir::AsConstInt(store.mask) : nullptr;
  if (!store.mask || (constant != nullptr && *constant != 0))
    return StoreAll(access, type, std::move(value));
  if (type.is_scalar() || mask.is_splat()) {
    const std::string condition = type.is_scalar() ? Scalar(std::move(mask)) : mask.base;
    Name(&access.index);
    Materialise(&value);
    Name(&value);
    out_.Open("if (" + Bare(condition) + ") {");
    StoreAll(access, type, std::move(value));
    return out_.Close();
  }
  if (access.memory->is_image) CDialect::Unsupported("stores to images under a mask");
  Name(&access.index);
  Name(&mask);
  Name(&value);
  const std::vector<std::string> conditions = Lanes(std::move(mask)), lanes = Lanes(value);
  const std::vector<std::string> elements = ElementsOf(access);
  for (size_t i = 0; i < elements.size(); ++i)
    out_.Add("if (" + Bare(conditions[i]) + ") " + elements[i] + " = " +
             ToMemory(type.element_of(), lanes[i]) + ";");
}

void CEmitter::EmitPlace(const ir::Load& load) {
  const auto* buffer = As<ir::BufferNode>(load.source);
  if (buffer == nullptr) NotFlat("a tensor is read");
  if (load.mask) Pop();
  Access access = PopAccess(*buffer, load.indices, load.dtype.lanes());
  if (access.memory->is_image) CDialect::Unsupported("addresses in images");
  Materialise(&access.index);
  const std::string index = FirstElement(access);
  CValue out{.type = DataType::Handle(),
             .parts = {index == "0" ? access.pointer : "(" + access.pointer + " + " + index + ")"},
             .depth = access.index.depth + 1};
  out.is_place = true;
  out.scope = access.memory->scope;
  out.alignment = AlignmentOf(access);
  Push(std::move(out));
}

// -- Images: rows of texels of four elements.

CValue CEmitter::LoadImage(Access& access, DataType type) {
  const DataType texel = type.with_lanes(kTexel);
  const std::string row = Named(DataType::Int(32), access.row);
  const auto* ramp = As<ir::Ramp>(access.index_expr);
  const bool whole =
      IsContiguous(access) && type.lanes() % kTexel == 0 &&
      KnownMultiple(ramp == nullptr ? access.index_expr : ramp->base) * access.group % kTexel == 0;
  std::vector<std::string> lanes;
  Name(&access.index);
  if (whole) {
    for (int k = 0; k < type.lanes(); k += kTexel) {
      const std::string name =
          Named(texel, d_.LoadTexel(texel, access.memory->name, row,
                                    "((" + Plus(FirstElement(access), k) + ") >> 2)"));
      if (type.lanes() == kTexel && PartOf(type) == texel) return {.type = type, .parts = {name}};
      for (int lane = 0; lane < kTexel; ++lane) lanes.push_back(d_.Lane(texel, name, lane));
    }
    return FromLanes(type, lanes);
  }
  for (const std::string& column : Lanes(access.index)) {
    for (int g = 0; g < access.group; ++g) {
      const std::string at = Named(
          DataType::Int(32),
          Plus(access.group == 1 ? column : column + " * " + std::to_string(access.group), g));
      const std::string name =
          Named(texel, d_.LoadTexel(texel, access.memory->name, row, "(" + at + " >> 2)"));
      std::string lane = d_.Lane(texel, name, kTexel - 1);
      for (int k = kTexel - 1; k-- > 0;)
        lane = "((" + at + " & 3) == " + std::to_string(k) + " ? " + d_.Lane(texel, name, k) +
               " : " + lane + ")";
      lanes.push_back(lane);
    }
  }
  if (type.is_scalar()) return {.type = type, .parts = {lanes[0]}, .depth = 6};
  return FromLanes(type, lanes);
}

void CEmitter::StoreImage(Access& access, DataType type, CValue value) {
  const DataType texel = type.with_lanes(kTexel);
  const auto* ramp = As<ir::Ramp>(access.index_expr);
  if (!IsContiguous(access) || type.lanes() % kTexel != 0 ||
      KnownMultiple(ramp == nullptr ? access.index_expr : ramp->base) * access.group % kTexel != 0)
    CDialect::Unsupported("store of less than four elements of an image",
                          "vectorize the image's last axis by 4");
  const std::string row = Named(DataType::Int(32), access.row);
  Name(&access.index);
  Materialise(&value);
  Name(&value);
  const bool one = type.lanes() == kTexel && PartOf(type) == texel;
  std::vector<std::string> lanes;
  if (!one) lanes = Lanes(value);
  for (int k = 0; k < type.lanes(); k += kTexel) {
    const std::string x =
        one ? value.parts[0]
            : d_.Compose(texel,
                         std::vector<std::string>(lanes.begin() + k, lanes.begin() + k + kTexel));
    out_.Add(d_.StoreTexel(texel, access.memory->name, row,
                           "((" + Plus(FirstElement(access), k) + ") >> 2)", x) +
             ";");
  }
}

}  // namespace lathe::sdk::internal
