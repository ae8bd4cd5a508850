// The script of the page of a model. Private to model_page.cc.
#pragma once

namespace lathe::cli {

// Draws what the JSON in #data says. Nothing is fetched; all text is set as text, never as HTML.
inline constexpr const char* kPageScript = R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const measured = data.steps.some(s => s.seconds !== undefined);
const make = (tag, attributes, children) => {
  const svg = ['svg', 'rect', 'text', 'path', 'g', 'title'].includes(tag);
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  for (const c of children || []) e.append(c);
  return e;
};
const bytes = n => n < 10240 ? n + ' B' : n < 10485760 ? (n / 1024).toFixed(1) + ' KiB' : (n / 1048576).toFixed(1) + ' MiB';
const time = s => s < 1e-3 ? (s * 1e6).toPrecision(4) + ' us' : s < 1 ? (s * 1e3).toPrecision(4) + ' ms' : s.toPrecision(4) + ' s';
const shape = t => data.tensors[t].dtype + '[' + data.tensors[t].shape.join(', ') + ']';
const cut = (s, n) => s.length > n ? s.slice(0, n - 1) + '\u2026' : s;
const reads = s => s.reads.filter(t => data.tensors[t].memory !== 'constant');
const total = data.steps.reduce((sum, s) => sum + (s.seconds || 0), 0);
function pick(i) {
  for (const e of document.querySelectorAll('.picked')) e.classList.remove('picked');
  for (const id of ['row' + i, 'box' + i]) {
    const e = document.getElementById(id);
    if (!e) continue;
    e.classList.add('picked');
    e.scrollIntoView({block: 'nearest', inline: 'nearest'});
  }
}
// Columns of the graph: a step is one level below the last step whose result it reads.
function graph() {
  const nodes = [], writer = {}, edges = [];
  data.inputs.forEach(t => { writer[data.tensors[t].root] = nodes.length;
    nodes.push({level: 0, label: data.tensors[t].name, sub: shape(t), color: '--input'}); });
  data.steps.forEach((s, i) => {
    const node = {level: 0, step: i, label: cut(s.name || s.kernel || s.kind, 30), sub: cut(s.text, 34),
                  color: s.kind === 'kernel' || s.kind === 'copy' ? '--kernel' : '--flow'};
    for (const t of reads(s)) {
      const from = writer[data.tensors[t].root];
      if (from === undefined) continue;
      edges.push([from, nodes.length]);
      node.level = Math.max(node.level, nodes[from].level + 1);
    }
    for (const t of s.writes) writer[data.tensors[t].root] = nodes.length;
    nodes.push(node);
  });
  data.outputs.forEach(t => {
    const from = writer[data.tensors[t].root];
    const node = {level: from === undefined ? 0 : nodes[from].level + 1, label: data.tensors[t].name,
                  sub: shape(t), color: '--input'};
    if (from !== undefined) edges.push([from, nodes.length]);
    nodes.push(node);
  });
  const W = 250, H = 40, X = 24, Y = 26, used = {};
  for (const n of nodes) {
    const column = used[n.level] = (used[n.level] || 0) + 1;
    n.x = 10 + (column - 1) * (W + X); n.y = 10 + n.level * (H + Y);
  }
  const width = Math.max(...nodes.map(n => n.x)) + W + 20, height = Math.max(...nodes.map(n => n.y)) + H + 20;
  const svg = make('svg', {width, height, id: 'graph'});
  for (const [a, b] of edges) {
    const from = nodes[a], to = nodes[b], x1 = from.x + W / 2, y1 = from.y + H, x2 = to.x + W / 2, y2 = to.y;
    // What passes by other boxes goes around them.
    const side = from.x + W, by = side + 18;
    const d = to.level > from.level + 1
      ? `M${side} ${from.y + H / 2} C${by} ${from.y + H / 2} ${by} ${y1 + 10} ${by} ${y1 + 20} V${y2 - 20} C${by} ${y2 - 4} ${x2 + 40} ${y2 - 14} ${x2 + 30} ${y2}`
      : `M${x1} ${y1} C${x1} ${y1 + 20} ${x2} ${y2 - 20} ${x2} ${y2}`;
    svg.append(make('path', {class: 'edge', d}));
  }
  for (const n of nodes) {
    const g = make('g', {class: 'node'});
    const box = make('rect', {x: n.x, y: n.y, width: W, height: H, rx: 6, class: 'box', style: `fill:var(${n.color})`});
    if (n.step !== undefined) { box.id = 'box' + n.step; g.addEventListener('click', () => pick(n.step)); }
    const name = make('text', {x: n.x + 8, y: n.y + 17}, [n.label]);
    const sub = make('text', {x: n.x + 8, y: n.y + 33, class: 'sub'}, [n.sub]);
    g.append(box, name, sub);
    if (n.step !== undefined) g.append(make('title', {}, [n.step + '  ' + data.steps[n.step].text]));
    svg.append(g);
  }
  document.getElementById('graph_place').append(svg);
}
// A rectangle for each tensor of the arena: steps from left to right, addresses from bottom to top.
function memory() {
  const roots = data.tensors.filter((t, i) => t.memory === 'arena' && t.root === i && t.bytes > 0 && t.first >= 0);
  const W = 1200, H = 300, steps = Math.max(1, data.steps.length), most = Math.max(1, data.arena_bytes);
  const svg = make('svg', {width: W, height: H, id: 'memory'});
  roots.forEach((t, k) => {
    const x = t.first / steps * W, y = H - (t.offset + t.bytes) / most * H;
    const rect = make('rect', {x, y, width: Math.max(1, (t.last + 1 - t.first) / steps * W), height: Math.max(1, t.bytes / most * H),
      fill: `hsl(${k * 47 % 360} 55% 60%)`, stroke: 'var(--card)', class: 'memory'},
      [make('title', {}, [`${t.name}: ${bytes(t.bytes)} at ${t.offset}, steps ${t.first} to ${t.last}`])]);
    rect.addEventListener('click', () => pick(t.first));
    svg.append(rect);
  });
  document.getElementById('memory_place').append(svg);
}
function table(place, heads, rows) {
  const cell = (tag, c) => make(tag, c.n ? {class: 'n'} : {}, [c.e || (c.code ? make('code', {}, [c.code]) : c.t)]);
  const body = rows.map(r => {
    const tr = make('tr', r.id ? {id: r.id} : {}, r.cells.map(c => cell('td', c)));
    if (r.step !== undefined) tr.addEventListener('click', () => pick(r.step));
    return tr;
  });
  document.getElementById(place).append(make('table', {}, [
    make('thead', {}, [make('tr', {}, heads.map(h => cell('th', h)))]), make('tbody', {}, body)]));
}
const bar = part => ({e: make('div', {class: 'bar', style: `width:${Math.max(0.5, part * 160)}px`})});
function steps() {
  const heads = [{t: '#', n: 1}, {t: 'result'}, {t: 'operators'}, {t: 'reads'}, {t: 'writes'}, {t: 'kernel'}];
  if (measured) heads.splice(1, 0, {t: 'time', n: 1}, {t: ''});
  const tensor = t => data.tensors[t].name + ': ' + shape(t);
  table('steps_place', heads, data.steps.map((s, i) => {
    const cells = [{t: String(i), n: 1}, {t: s.name}, {t: s.text}, {code: s.reads.map(tensor).join('\n')},
                   {code: s.writes.map(tensor).join('\n')}, {code: s.kernel || s.kind}];
    if (measured) cells.splice(1, 0, {t: time(s.seconds || 0), n: 1}, bar(total ? (s.seconds || 0) / total : 0));
    return {id: 'row' + i, step: i, cells};
  }));
}
function kernels() {
  const found = new Map();
  for (const s of data.steps) {
    if (!s.kernel) continue;
    const k = found.get(s.kernel) || {uses: 0, seconds: 0};
    k.uses++; k.seconds += s.seconds || 0;
    found.set(s.kernel, k);
  }
  const rows = [...found.entries()];
  if (measured) rows.sort((a, b) => b[1].seconds - a[1].seconds);
  const heads = [{t: 'kernel'}, {t: 'groups', n: 1}];
  if (measured) heads.push({t: 'time', n: 1}, {t: 'part', n: 1}, {t: ''});
  table('kernels_place', heads, rows.map(([name, k]) => {
    const cells = [{code: name}, {t: String(k.uses), n: 1}];
    if (measured) cells.push({t: time(k.seconds), n: 1}, {t: total ? (100 * k.seconds / total).toFixed(1) + ' %' : '', n: 1},
                             bar(total ? k.seconds / total : 0));
    return {cells};
  }));
}
document.getElementById('summary').textContent =
  `${data.steps.length} steps, ${new Set(data.steps.map(s => s.kernel).filter(k => k)).size} kernels; constants ` +
  `${bytes(data.constant_bytes)}; arena ${bytes(data.arena_bytes)}, of which at least ${bytes(data.arena_lower_bound)} are in use at once` +
  (measured ? `; ${time(total)} in all steps of a run` : '');
graph(); memory(); steps(); kernels();
document.body.dataset.drawn = 'yes';
)js";

}  // namespace lathe::cli
