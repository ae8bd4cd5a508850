// A typo: op == "exp2" in a comment is no name.
template <class Call>
bool IsExp(const Call& call) {
  return call.op == "epx";
}
