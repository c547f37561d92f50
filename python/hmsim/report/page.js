// SPDX-License-Identifier: BSD-3-Clause
// Brings the page to life: charts, tables that sort, a filter.

function sortable(table) {
  const body = table.tBodies[0];
  table.querySelectorAll("thead button").forEach((button) => {
    const head = button.closest("th");
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => row.cells[head.cellIndex].dataset.value ?? row.cells[head.cellIndex].textContent;
      const rows = [...body.rows].map((row) => [value(row), row]);
      rows.sort(([a], [b]) => compare(a, b) * (up ? 1 : -1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// Numbers by size, texts after them, what is missing last.
function compare(a, b) {
  const [x, y] = [a, b].map((text) => (text === "" ? NaN : Number(text)));
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

document.querySelectorAll("table.sortable").forEach(sortable);

// Marks boxes whose content is wider than they are, and those with more of it to the right.
function hint(box) {
  box.classList.toggle("wider", box.scrollWidth > box.clientWidth + 1);
  box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

document.querySelectorAll(".wide, nav").forEach((box) => {
  box.addEventListener("scroll", () => hint(box), { passive: true });
  new ResizeObserver(() => hint(box)).observe(box);
});

document.querySelectorAll("input[data-filters]").forEach((input) => {
  const rows = document.getElementById(input.dataset.filters).tBodies[0].rows;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.cells[0].textContent.toLowerCase();
      row.classList.toggle("hidden", !words.every((word) => text.includes(word)));
    }
  });
});

const charts = JSON.parse(document.getElementById("charts").textContent);
for (const spec of charts) new Chart(document.getElementById(spec.id), spec);
document.documentElement.dataset.ready = String(charts.length);
