// What pages of `lathe` share: their style, and text in them. Private to what writes pages.
#pragma once

#include <string>
#include <string_view>

namespace lathe::cli {

inline constexpr const char* kPageStyle = R"css(
:root { --ink:#1c2430; --soft:#5b6675; --line:#d9dee6; --back:#f6f7f9; --card:#fff; --accent:#1f6feb;
        --input:#e8eef7; --kernel:#e6f4ea; --flow:#fdf0e0; --pick:#ffd33d; }
@media (prefers-color-scheme: dark) {
  :root { --ink:#e4e8ee; --soft:#9aa5b4; --line:#323a46; --back:#14181e; --card:#1c222b;
          --accent:#6ea8ff; --input:#22304a; --kernel:#1e3a2a; --flow:#443018; --pick:#8a6d00; } }
* { box-sizing:border-box }
body { margin:0; font:15px/1.5 system-ui,sans-serif; color:var(--ink); background:var(--back) }
main { max-width:1300px; margin:0 auto; padding:24px }
h1 { font-size:24px; margin:0 0 4px } h2 { font-size:18px; margin:0 0 8px }
.soft { color:var(--soft) } .soft, h1 { overflow-wrap:anywhere } td code { white-space:pre } code { font:13px/1.45 ui-monospace,monospace }
section { background:var(--card); border:1px solid var(--line); border-radius:8px;
          padding:16px 20px; margin:16px 0 }
.wide { overflow:auto; max-height:640px }
table { border-collapse:collapse; width:100% }
th { text-align:left; font-weight:600; color:var(--soft); font-size:13px; position:sticky; top:0;
     background:var(--card) }
th, td { padding:3px 12px 3px 0; border-bottom:1px solid var(--line); vertical-align:top }
td.n, th.n { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap }
tr.picked td { background:var(--pick) }
.bar { background:var(--accent); height:8px; border-radius:4px; min-width:1px }
svg text { font:12px system-ui,sans-serif; fill:var(--ink) } svg .sub { fill:var(--soft); font-size:11px }
svg .box { stroke:var(--line); cursor:pointer } svg .picked { stroke:var(--accent); stroke-width:3 }
svg .edge { fill:none; stroke:var(--soft); stroke-width:1.2; opacity:.7 }
)css";

// Text for an element or an attribute.
inline std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

}  // namespace lathe::cli
