"use strict";
// Enhancement only: every page is complete without this file. It sorts and filters tables in place, keeps their state
// in the address bar, switches the theme, and lays two pictures over each other.

(function theme() {
  const root = document.documentElement;
  const button = document.querySelector("[data-theme-switch]");
  if (!button) return;
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(dark()));
  if (stored()) root.dataset.theme = stored();
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window */ }
    show();
  });
})();

const state = new URLSearchParams(location.search);
function remember() {
  const query = state.toString();
  try { history.replaceState(null, "", (query ? "?" + query : location.pathname) + location.hash); } catch { /* no address to keep it in */ }
}

function cellValue(row, column) {
  const cell = row.cells[column];
  return cell ? (cell.dataset.value ?? cell.textContent.trim()) : "";
}

function sortTable(table, column, descending) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => head.setAttribute("aria-sort", index === column ? (descending ? "descending" : "ascending") : "none"));
  const rows = [...table.tBodies[0].rows];
  const values = new Map(rows.map((row) => [row, cellValue(row, column)]));
  const number = rows.every((row) => values.get(row) === "" || !Number.isNaN(Number(values.get(row))));
  rows.sort((one, other) => {
    const a = values.get(one), b = values.get(other);
    if (a === "" || b === "") return (a === "") - (b === ""); // what is absent stands last, whichever way it is sorted
    const order = number ? Number(a) - Number(b) : a.localeCompare(b);
    return descending ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

document.querySelectorAll("table[data-sort]").forEach((table) => {
  const name = table.dataset.sort;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.dataset.by === undefined) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorter";
    const text = head.querySelector(".head") || head;
    button.append(...text.childNodes);
    text.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.by === "down";
      const current = head.getAttribute("aria-sort");
      const descending = current === "none" || current === null ? first : current === "ascending";
      sortTable(table, column, descending);
      state.set(name + ".sort", head.dataset.name + (descending ? "-" : ""));
      remember();
    });
  });
  const wanted = state.get(name + ".sort");
  if (wanted) {
    const key = wanted.replace(/-$/, "");
    const column = [...table.tHead.rows[0].cells].findIndex((head) => head.dataset.name === key);
    if (column >= 0) sortTable(table, column, wanted.endsWith("-"));
  }
});

document.querySelectorAll("form[data-filter]").forEach((form) => {
  const name = form.dataset.filter;
  const items = [...document.querySelectorAll(`[data-item="${name}"]`)];
  const count = form.querySelector("[data-count]");
  form.hidden = false;
  const apply = () => {
    let shown = 0;
    for (const item of items) {
      let keep = true;
      for (const field of form.elements) {
        if (!field.name) continue;
        if (field.type === "checkbox") { if (!field.checked && item.matches(field.value)) keep = false; }
        else if (field.value && field.type === "search") { if (!(item.dataset.text || item.textContent).toLowerCase().includes(field.value.toLowerCase())) keep = false; }
        else if (field.value && !(item.getAttribute("data-tag-" + field.name) || "").split("\u241f").includes(field.value)) keep = false;
      }
      item.hidden = !keep;
      shown += keep;
    }
    if (count) count.textContent = `${shown} of ${items.length}`;
  };
  for (const field of form.elements) {
    const kept = field.name && state.get(`${name}.${field.name}`);
    if (kept !== null && kept !== "") { if (field.type === "checkbox") field.checked = kept === "1"; else field.value = kept; }
  }
  form.addEventListener("input", (event) => {
    const field = event.target;
    if (field.type === "checkbox") { if (field.checked === field.defaultChecked) state.delete(`${name}.${field.name}`); else state.set(`${name}.${field.name}`, field.checked ? "1" : "0"); }
    else if (field.value) state.set(`${name}.${field.name}`, field.value);
    else state.delete(`${name}.${field.name}`);
    remember();
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
});

(function compare() {
  const stage = document.querySelector("[data-compare]");
  if (!stage) return;
  const figures = [...document.querySelectorAll("[data-pin]")];
  let pinned = [];
  const [under, over] = stage.querySelectorAll("img");
  const [left, right] = stage.querySelectorAll("[data-name]");
  const slider = stage.querySelector("input");
  const cut = () => stage.style.setProperty("--cut", slider.value + "%");
  slider.addEventListener("input", cut);
  const draw = () => {
    figures.forEach((figure) => {
      const button = figure.querySelector("button.pin");
      button.setAttribute("aria-pressed", String(pinned.includes(figure)));
    });
    stage.hidden = pinned.length < 2;
    if (pinned.length === 2) {
      under.src = pinned[0].dataset.full;
      over.src = pinned[1].dataset.full;
      left.textContent = pinned[0].dataset.pin;
      right.textContent = pinned[1].dataset.pin;
      under.alt = pinned[0].dataset.pin;
      over.alt = pinned[1].dataset.pin;
      cut();
    }
  };
  figures.forEach((figure) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pin";
    button.textContent = "Compare";
    button.setAttribute("aria-label", "Compare " + figure.dataset.pin);
    button.setAttribute("aria-pressed", "false");
    figure.append(button);
    button.addEventListener("click", () => {
      pinned = pinned.includes(figure) ? pinned.filter((each) => each !== figure) : [...pinned, figure].slice(-2);
      draw();
      if (pinned.length === 2) stage.scrollIntoView({ block: "nearest" });
    });
  });
  stage.querySelector("[data-close]").addEventListener("click", () => { pinned = []; draw(); });
})();

(function reads() {
  // What a dot of a map says, at once and readable; the title inside the drawing says it without this script.
  const line = document.querySelector("[data-reads]");
  if (!line) return;
  const tell = (event) => { const says = event.target.closest(".novelty a")?.querySelector("title"); if (says) line.textContent = says.textContent; };
  document.addEventListener("pointerover", tell);
  document.addEventListener("focusin", tell);
})();

(function open() {
  // A link into something that is folded unfolds it; browsers that do so themselves lose nothing.
  const unfold = () => { const there = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); const fold = there && there.closest("details"); if (fold) { fold.open = true; fold.scrollIntoView({ block: "nearest" }); } };
  addEventListener("hashchange", unfold);
  unfold();
})();
