// SPDX-License-Identifier: BSD-3-Clause
// Line charts that zoom: drag, buttons or keys. Texts are set as text, never as HTML.
"use strict";

const NS = "http://www.w3.org/2000/svg";
const DASHES = ["", "7 4", "2 3", "10 3 2 3"];
const LEAST_LEFT = 62; // pixels beside the vertical axis, more if its numbers are long
const CHARACTER = 7.6; // pixels of a wide character of 12 pixels
const KEYS_HELP = "Left and right keys read values, plus and minus zoom, zero shows all.";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// --- Numbers for people.

function plain(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
}

function time(nanoseconds) {
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [size, unit] = units.find(([s]) => Math.abs(nanoseconds) >= s * 0.9999) || [1, "ns"];
  return plain(nanoseconds / size) + " " + unit;
}

const FORMATS = {
  plain,
  ns: time,
  ms: (value) => time(value * 1e6),
  share: (value) => plain(value * 100) + " %",
  tail: (value) => plain(value * 100) + " %",
  rate: (value) => plain(value) + " GB/s",
};

// --- Scales.

function scale(low, high, from, to, log) {
  const f = log ? Math.log10 : (v) => v;
  const a = f(low), b = f(high);
  const map = (value) => from + ((f(value) - a) / (b - a || 1)) * (to - from);
  map.back = (place) => {
    const v = a + ((place - from) / (to - from)) * (b - a);
    return log ? 10 ** v : v;
  };
  return map;
}

function ticks(low, high, log, count) {
  const found = [];
  if (log && high / low > 8) {
    const decades = Math.log10(high / low);
    const steps = decades > count / 2 ? [1] : [1, 2, 5];
    const skip = Math.max(1, Math.ceil(decades / count));
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e += 1) {
      if (e % skip !== 0) continue;
      for (const s of steps) {
        const value = s * 10 ** e;
        if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
      }
    }
    return found;
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough) || power;
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-6; n += 1) found.push(n * step);
  return found;
}

// --- The chart. spec: {title, x: {label, format, log}, y: {label, format, log, top}, step,
// lines: [{name, color, dash, points, dots}]}

class Chart {
  constructor(host, spec) {
    this.spec = spec;
    this.hidden = new Set();
    this.cursor = null;
    this.drag = null;
    this.area = html("div", { className: "chart" });
    this.readout = html("div", { className: "readout" });
    this.readout.setAttribute("aria-live", "polite");
    host.append(this.tools(), this.area, this.readout, this.keys());
    this.whole();
    this.draw();
    addEventListener("resize", () => this.draw());
  }

  tools() {
    const button = (text, action) => {
      const element = html("button", { type: "button", textContent: text });
      element.addEventListener("click", action);
      return element;
    };
    const box = html("div", { className: "tools" });
    box.append(
      button("Zoom in", () => this.zoom(0.5)), button("Zoom out", () => this.zoom(2)),
      button("Show all", () => { this.whole(); this.draw(); }));
    if (this.spec.tail) {
      const tail = button("Show the tail", () => {
        this.isTail = !this.isTail;
        tail.setAttribute("aria-pressed", this.isTail);
        this.whole();
        this.draw();
      });
      tail.setAttribute("aria-pressed", "false");
      box.append(tail);
    }
    return box;
  }

  keys() {
    const box = html("div", { className: "keys" });
    this.spec.lines.forEach((line, index) => {
      const sample = svg("svg", { viewBox: "0 0 34 10", "aria-hidden": "true" },
        svg("line", { x1: 0, x2: 34, y1: 5, y2: 5, "stroke-width": 3, style: `stroke: var(--c${line.color})`, "stroke-dasharray": DASHES[line.dash] }));
      const key = html("button", { type: "button", title: "Show or hide" }, sample, line.name);
      key.setAttribute("aria-pressed", "true");
      key.addEventListener("click", () => {
        if (!this.hidden.delete(index)) this.hidden.add(index);
        key.setAttribute("aria-pressed", !this.hidden.has(index));
        this.draw();
      });
      box.append(key);
    });
    return box;
  }

  points(line) {
    if (!this.isTail) return line.points;
    return line.points.filter(([, y]) => y < 1).map(([x, y]) => [x, 1 - y]);
  }

  whole() {
    const all = this.spec.lines.flatMap((line) => this.points(line));
    const xs = all.map(([x]) => x).filter((x) => !this.spec.x.log || x > 0);
    this.low = Math.min(...xs);
    this.high = Math.max(...xs);
    if (!(this.high > this.low)) this.high = this.low * 1.1 + 1e-9;
    this.full = [this.low, this.high];
  }

  zoom(factor) {
    const map = scale(this.low, this.high, 0, 1, this.spec.x.log);
    const middle = this.cursor === null ? 0.5 : Math.min(Math.max(map(this.cursor), 0), 1);
    this.view(map.back(middle - middle * factor), map.back(middle + (1 - middle) * factor));
  }

  view(low, high) {
    this.low = Math.max(low, this.full[0]);
    this.high = Math.min(high, this.full[1]);
    if (!(this.high > this.low)) [this.low, this.high] = this.full;
    this.draw();
  }

  draw() {
    const width = Math.max(this.area.clientWidth, 260);
    const height = width < 500 ? 240 : 300;
    const edge = { left: LEAST_LEFT, right: 14, top: 22, bottom: 44 };
    const { spec } = this;
    const shown = spec.lines.map((line, index) => ({ ...line, index, points: this.points(line) }))
      .filter((line) => !this.hidden.has(line.index));
    const inside = shown.flatMap((line) => visible(line.points, this.low, this.high)).map(([, y]) => y);
    const logY = this.isTail || spec.y.log;
    const positive = inside.filter((y) => !logY || y > 0);
    let top = spec.y.top !== undefined && !this.isTail ? spec.y.top : Math.max(...positive, logY ? 1e-12 : 0);
    let bottom = logY ? Math.min(...positive, top) : 0;
    if (!(top > bottom)) top = bottom + 1;
    if (logY) { bottom = 10 ** Math.floor(Math.log10(bottom)); top = 10 ** Math.ceil(Math.log10(top)); }
    else if (spec.y.top === undefined) top *= 1.05;
    const formatX = FORMATS[spec.x.format], formatY = FORMATS[this.isTail ? "tail" : spec.y.format];
    const marks = ticks(bottom, top, logY, 5);
    edge.left = Math.max(LEAST_LEFT, 12 + CHARACTER * Math.max(...marks.map((v) => formatY(v).length)));
    const x = scale(this.low, this.high, edge.left, width - edge.right, spec.x.log);
    const y = scale(bottom, top, height - edge.bottom, edge.top, logY);
    this.x = x;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img",
      "aria-label": `${spec.title}. ${KEYS_HELP}` });
    const clip = `clip-${spec.id}`;
    picture.append(svg("clipPath", { id: clip }, svg("rect", { x: edge.left, y: edge.top - 2, width: width - edge.left - edge.right, height: height - edge.top - edge.bottom + 4 })));
    for (const value of marks) {
      const at = y(value);
      picture.append(svg("line", { class: "grid", x1: edge.left, x2: width - edge.right, y1: at, y2: at }),
        svg("text", { x: edge.left - 6, y: at + 4, "text-anchor": "end" }, formatY(value)));
    }
    for (const value of ticks(this.low, this.high, spec.x.log, width / 110)) {
      const at = x(value);
      picture.append(svg("line", { class: "grid", x1: at, x2: at, y1: edge.top, y2: height - edge.bottom }),
        svg("text", { x: at, y: height - edge.bottom + 20, "text-anchor": at > width - 45 ? "end" : "middle" }, formatX(value)));
    }
    picture.append(
      svg("line", { class: "axis", x1: edge.left, x2: width - edge.right, y1: height - edge.bottom, y2: height - edge.bottom }),
      svg("text", { x: width - edge.right, y: height - 6, "text-anchor": "end" }, spec.x.label),
      svg("text", { x: 4, y: 12 }, this.isTail ? spec.tail : spec.y.label));
    const lines = svg("g", { "clip-path": `url(#${clip})` });
    for (const line of shown) {
      const usable = line.points.filter(([px, py]) => (!spec.x.log || px > 0) && (!logY || py > 0));
      const path = usable.map(([px, py], n) => {
        const place = `${x(px).toFixed(1)},${y(py).toFixed(1)}`;
        if (n === 0) return `M${place}`;
        return spec.step ? `H${x(px).toFixed(1)}V${y(py).toFixed(1)}` : `L${place}`;
      }).join("");
      // Between dots nothing is known.
      if (!line.dots) lines.append(svg("path", { d: path, style: `stroke: var(--c${line.color})`, "stroke-dasharray": DASHES[line.dash] }));
      else for (const [px, py] of usable) lines.append(svg("circle", { cx: x(px), cy: y(py), r: 4, style: `fill: var(--c${line.color})` }));
    }
    picture.append(lines);
    this.mark = svg("line", { class: "cursor", y1: edge.top, y2: height - edge.bottom, visibility: "hidden" });
    this.box = svg("rect", { class: "drag", y: edge.top, height: height - edge.top - edge.bottom, visibility: "hidden" });
    picture.append(this.mark, this.box);
    this.listen(picture, width);
    const focused = this.area.contains(document.activeElement);
    this.area.replaceChildren(picture);
    if (focused) picture.focus();
    this.shown = shown;
    this.point(this.cursor);
  }

  listen(picture, width) {
    const place = (event) => {
      const box = picture.getBoundingClientRect();
      return this.x.back(((event.clientX - box.left) / box.width) * width);
    };
    picture.addEventListener("pointermove", (event) => {
      this.point(place(event));
      if (this.drag !== null) this.shade(this.drag, place(event));
    });
    picture.addEventListener("pointerdown", (event) => {
      this.drag = place(event);
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointerup", (event) => {
      const [from, to] = [this.drag, place(event)].sort((a, b) => a - b);
      this.drag = null;
      if (from !== null && Math.abs(this.x(to) - this.x(from)) > 8) this.view(from, to);
    });
    picture.addEventListener("pointercancel", () => { this.drag = null; this.draw(); });
    picture.addEventListener("dblclick", () => { this.whole(); this.draw(); });
    picture.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const map = scale(this.low, this.high, 0, 1, this.spec.x.log);
    const at = this.cursor === null ? 0.5 : map(this.cursor);
    const step = event.shiftKey ? 0.1 : 0.01;
    const moves = { ArrowLeft: -step, ArrowRight: step };
    if (event.key in moves) this.point(map.back(Math.min(Math.max(at + moves[event.key], 0), 1)));
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0" || event.key === "Escape") { this.whole(); this.draw(); }
    else return;
    event.preventDefault();
  }

  shade(from, to) {
    const [a, b] = [this.x(from), this.x(to)].sort((p, q) => p - q);
    this.box.setAttribute("x", a);
    this.box.setAttribute("width", b - a);
    this.box.setAttribute("visibility", "visible");
  }

  // A share that has reached its top stays there; of all else nothing is known after a line's end.
  beyond(line, value) {
    const { top } = this.spec.y;
    return top !== undefined && value > line.points.at(-1)?.[0] ? top - (this.isTail ? 1 : 0) : null;
  }

  point(value) {
    if (value === null || value < this.low || value > this.high) return;
    this.cursor = value;
    this.mark.setAttribute("x1", this.x(value));
    this.mark.setAttribute("x2", this.x(value));
    this.mark.setAttribute("visibility", "visible");
    const { spec } = this;
    const format = FORMATS[this.isTail ? "tail" : spec.y.format];
    const { peak } = spec.y;
    const share = (number) => (peak ? ` (${plain((100 * number) / peak)} % of peak)` : "");
    const parts = this.shown.map((line) => {
      const found = at(line.points, value, spec.step || line.dots) ?? this.beyond(line, value);
      return found === null ? null : `${line.name}: ${format(found)}${share(found)}`;
    }).filter((text) => text !== null);
    this.readout.textContent = `${FORMATS[spec.x.format](value)} — ${parts.join("; ")}`;
  }
}

function visible(points, low, high) {
  const found = points.filter(([x]) => x >= low && x <= high);
  return found.length ? found : points;
}

// The value of a line at x, between points; null outside.
function at(points, x, step) {
  if (!points.length || x < points[0][0] || x > points[points.length - 1][0]) return null;
  let low = 0, high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle; else high = middle;
  }
  const [x0, y0] = points[low], [x1, y1] = points[high];
  if (step || x1 === x0) return x >= x1 ? y1 : y0;
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}
