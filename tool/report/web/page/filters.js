// The bar with the filters.

const filterPlace = document.getElementById("filters");
const shownCount = element("span", "count");
shownCount.setAttribute("role", "status");

function filterSelect(name, title, choices) {
  const label = element("label", "", title);
  const select = element("select");
  select.id = `filter-${name}`;
  select.append(new Option("all", everything), ...choices.map(([value, words]) => new Option(words, value)));
  select.disabled = choices.length < 2;
  select.value = everything;
  select.addEventListener("change", () => {
    filter[name] = select.value;
    update();
  });
  label.append(select);
  return label;
}

function themeButton() {
  const button = element("button");
  button.type = "button";
  button.id = "theme";
  const name = () => {
    button.textContent = themeName() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${themeName() === "dark" ? "light" : "dark"} colours`);
  };
  button.addEventListener("click", () => {
    wishedTheme = themeName() === "dark" ? "light" : "dark";
    applyTheme();
  });
  themeListeners.push(name);
  name();
  return button;
}

function buildFilters() {
  const valuesOf = (of) => [...new Set(report.groups.map(of))];
  filterPlace.append(
    filterSelect("place", "File system", report.places.map((place, number) => [number, place.name])),
    filterSelect("class", "Durability class", Object.keys(classWords).filter((name) => valuesOf((group) => group.class).includes(name)).map((name) => [name, classWords[name]])),
    filterSelect("workload", "Workload", valuesOf((group) => group.workload).map((name) => [name, name])),
    filterSelect("run", "Run", report.runs.map((run, number) => [number, `${run.id}: ${run.command}, ${dateOf(run.seconds).slice(0, 16)}`])),
    shownCount, themeButton());
  filterPlace.addEventListener("submit", (event) => event.preventDefault());
}
