"use strict";
// Enhancement only: the form works without this file, and the server decides what counts. Here are keys, the minimum
// look with its ring, the slider, the zoom, and how long each picture was in sight.

const TICK = 50;
const MARGIN = 0.15; // seconds, so that a button that is awake is awake on the server, too

function keys() {
  const byKey = new Map([...document.querySelectorAll("button[data-key]")].map((button) => [button.dataset.key, button]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.matches("input:not([type=range]), textarea, select")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const button = byKey.get(key);
    if (!button || (key === "Enter" && event.target.matches("button, a"))) return;
    event.preventDefault();
    if (!button.disabled) button.click();
  });
}

function minimumLook(form) {
  const answers = form.querySelector("[data-answers]");
  const buttons = [...answers.querySelectorAll("button:not(.skip)")];
  const sides = [...form.querySelectorAll("[data-side]")].map((figure) => ({
    name: figure.dataset.side, picture: figure.querySelector("img"), inSight: true, seconds: 0,
  }));
  const least = Number(form.dataset.least);
  const began = performance.now();
  const wait = Number(form.dataset.wait);
  let sent = false;

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) sides.find((side) => side.picture === entry.target).inSight = entry.intersectionRatio >= 0.5;
  }, { threshold: [0, 0.5] });
  sides.forEach((side) => watcher.observe(side.picture));

  // A picture that is gone is not asked about: the server has another pair.
  for (const picture of form.querySelectorAll("img")) {
    const another = () => location.replace("/");
    if (picture.complete && picture.naturalWidth === 0) another();
    else picture.addEventListener("error", another);
  }

  buttons.forEach((button) => { button.disabled = true; });
  answers.style.setProperty("--look", `${Math.max(least, wait) + MARGIN}s`);
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const passed = (now - last) / 1000;
    last = now;
    const ready = sides.every((side) => side.picture.complete && side.picture.naturalWidth > 0);
    if (ready) answers.classList.add("waiting");
    for (const side of sides) if (ready && side.inSight && !document.hidden) side.seconds += passed;
    const waited = (now - began) / 1000 >= wait + MARGIN;
    if (waited && sides.every((side) => side.seconds >= least + MARGIN)) buttons.forEach((button) => { button.disabled = sent; });
  }, TICK);

  form.addEventListener("submit", (event) => {
    if (sent) { event.preventDefault(); return; }
    sent = true;
    clearInterval(timer);
    for (const side of sides) form.elements[`seen_${side.name}`].value = side.seconds.toFixed(2);
    setTimeout(() => [...answers.querySelectorAll("button")].forEach((button) => { button.disabled = true; }));
  });
  addEventListener("pageshow", (event) => { if (event.persisted) location.replace("/"); });
}

function slider(form) {
  const pair = form.querySelector("[data-pair]");
  const button = form.querySelector("[data-slider]");
  const cut = form.querySelector("[data-cut]");
  form.querySelector("[data-tools]").hidden = false;
  const set = () => pair.style.setProperty("--cut", `${cut.value}%`);
  button.addEventListener("click", () => {
    const over = pair.classList.toggle("over");
    button.setAttribute("aria-pressed", String(over));
    cut.hidden = !over;
    if (over) cut.focus();
  });
  cut.addEventListener("input", set);
  set();
}

function zoom(form) {
  const pair = form.querySelector("[data-pair]");
  const point = (event) => {
    const box = event.currentTarget.closest("figure").querySelector("img");
    const area = pair.classList.contains("zoomed") ? event.currentTarget.closest("figure").getBoundingClientRect() : box.getBoundingClientRect();
    pair.style.setProperty("--x", `${(100 * (event.clientX - area.left)) / area.width}%`);
    pair.style.setProperty("--y", `${(100 * (event.clientY - area.top)) / area.height}%`);
  };
  for (const picture of pair.querySelectorAll("img")) {
    picture.addEventListener("click", (event) => { point(event); pair.classList.toggle("zoomed"); });
    picture.addEventListener("pointermove", (event) => { if (pair.classList.contains("zoomed")) point(event); });
  }
  for (const figure of form.querySelectorAll("[data-input]")) {
    const toggle = () => figure.classList.toggle("large");
    figure.addEventListener("click", toggle);
    figure.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); toggle(); } });
  }
}

keys();
const ballot = document.querySelector("[data-ballot]");
if (ballot) {
  minimumLook(ballot);
  slider(ballot);
  zoom(ballot);
}

function ranking(form) {
  const list = form.querySelector("[data-outputs]");
  const items = () => [...list.children];
  const place = (item) => item.querySelector("input[type=number]");
  const told = (item) => item.setAttribute("aria-label", item.getAttribute("aria-label").replace(/\d+$/, place(item).value));
  // Places stay where they are and pictures move through them, so that a tie is kept.
  const move = (item, before) => {
    const places = items().map((each) => place(each).value).sort((one, other) => one - other);
    list.insertBefore(item, before);
    items().forEach((each, at) => { place(each).value = places[at]; told(each); });
  };
  const step = (item, by) => {
    const other = by > 0 ? item.nextElementSibling : item.previousElementSibling;
    if (other) move(item, by > 0 ? other.nextElementSibling : other);
  };
  const sort = () => {
    const focused = document.activeElement;
    items().sort((one, other) => place(one).value - place(other).value).forEach((item) => { list.append(item); told(item); });
    focused?.focus();
  };
  let held = null;
  list.addEventListener("dragstart", (event) => { held = event.target.closest("li"); held.classList.add("held"); });
  list.addEventListener("dragend", () => { held?.classList.remove("held"); held = null; });
  list.addEventListener("dragover", (event) => {
    const over = event.target.closest("li");
    if (!held || !over) return;
    event.preventDefault();
    if (over !== held) move(held, items().indexOf(held) < items().indexOf(over) ? over.nextElementSibling : over);
  });
  list.addEventListener("change", sort);
  for (const moves of list.querySelectorAll(".moves")) moves.hidden = false;
  list.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    const button = event.target.closest("[data-move]");
    if (event.target.matches("img")) item.classList.toggle("large");
    if (!button) return;
    step(item, Number(button.dataset.move));
    button.focus();
  });
  list.addEventListener("keydown", (event) => {
    const item = event.target;
    if (!item.matches("li") || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (by) step(item, by);
    else if (event.key >= "1" && event.key <= String(Math.min(9, items().length))) { place(item).value = event.key; sort(); }
    else if (event.key === "Enter") item.classList.toggle("large");
    else if (event.key === "Escape") item.classList.remove("large");
    else return;
    event.preventDefault();
    item.focus();
  });
}

const panel = document.querySelector("[data-ranking]");
if (panel) ranking(panel);
