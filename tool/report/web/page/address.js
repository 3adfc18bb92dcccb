// What is shown stands in the address, after the #, so that a link shows the same: `#class=at_close&open=latency,cost`.

let readsAddress = false;

function openParts() {
  return [...sections.filter((section) => section.isOpen && !section.about.isOpen).map((section) => section.about.id),
    ...[...folds].filter(([, fold]) => fold.open).map(([id]) => id)];
}

function addressWith(more = []) {
  const words = Object.entries(filter).filter(([, value]) => value !== everything).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (chosenTask) words.push(`task=${encodeURIComponent(chosenTask)}`);
  if (hasCharts && openParts().length > 0) words.push(`open=${openParts().join(",")}`);
  return `#${[...words, ...more].join("&")}`;
}

function writeAddress() {
  if (readsAddress || onPaper || !document.documentElement.dataset.ready) return;
  const address = addressWith();
  if (address !== location.hash && (address !== "#" || location.hash)) history.replaceState(null, "", address);
  for (const link of document.querySelectorAll("#contents a")) link.href = addressWith([link.dataset.part]);
}

function openPart(id) {
  const section = sections.find((each) => each.about.id === id);
  if (section) section.open();
  else if (folds.has(id)) folds.get(id).open = true;
}

// Words without "=" name the part to go to.
function readAddress() {
  readsAddress = true;
  for (const name of Object.keys(filter)) filter[name] = everything;
  chosenTask = "";
  let target = "";
  let open = [];
  for (const word of location.hash.slice(1).split("&").filter(Boolean)) {
    const [name, value] = word.split("=");
    const text = value === undefined ? undefined : decoded(value);
    if (text === undefined) target = name;
    else if (name === "open") open = text.split(",");
    else if (name === "task") chosenTask = text;
    else if (name in filter && filterValues(name).includes(text)) filter[name] = text;
  }
  showFilters();
  update();
  open.forEach(openPart);
  if (target) {
    openPart(target);
    document.getElementById(target)?.scrollIntoView();
  }
  readsAddress = false;
  writeAddress();
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function buildContents() {
  const list = document.createElement("ul");
  const add = (id, title) => {
    const item = document.createElement("li");
    const link = element("a", "", title);
    link.dataset.part = id;
    link.href = `#${id}`;
    item.append(link);
    list.append(item);
  };
  for (const section of sections) add(section.about.id, section.about.short);
  add("environment", "Environment");
  const all = element("button", "", "Open all");
  all.type = "button";
  all.id = "open-all";
  all.addEventListener("click", () => {
    const open = sections.some((section) => !section.isOpen);
    for (const section of sections) section.open(open || Boolean(section.about.isOpen));
    for (const fold of folds.values()) fold.open = open;
    all.textContent = open ? "Close all" : "Open all";
    writeAddress();
  });
  document.getElementById("contents").append(list, all);
}
