// The bar with the filters.

const filterPlace = document.getElementById("filters");
const shownCount = element("span", "count");
shownCount.setAttribute("role", "status");

const filterChoices = {
  place: { title: "File system", choices: report.places.map((place) => [place.name, place.name]) },
  class: { title: "Durability class", choices: Object.keys(classWords).filter((name) => report.groups.some((group) => group.class === name))
    .map((name) => [name, classWords[name]]) },
  workload: { title: "Workload", choices: [...new Set(report.groups.map((group) => group.workload))].map((name) => [name, name]) },
  run: { title: "Run", choices: report.runs.map((run) => [String(run.id), `${run.id}: ${run.command}, ${dateOf(run.seconds).slice(0, 16)}`]) },
};

function filterValues(name) {
  return filterChoices[name].choices.map(([value]) => value);
}

function filterSelect(name, { title, choices }) {
  const label = element("label", "", title);
  const select = element("select");
  select.id = `filter-${name}`;
  select.append(new Option("all", everything), ...choices.map(([value, words]) => new Option(words, value)));
  select.disabled = choices.length < 2;
  select.addEventListener("change", () => {
    filter[name] = select.value;
    update();
    writeAddress();
  });
  label.append(select);
  return label;
}

function showFilters() {
  for (const name of Object.keys(filter)) document.getElementById(`filter-${name}`).value = filter[name];
}

function themeButton() {
  const button = element("button");
  button.type = "button";
  button.id = "theme";
  const name = () => {
    button.textContent = themeName() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `${button.textContent} colours`);
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
  filterPlace.append(...Object.entries(filterChoices).map(([name, choice]) => filterSelect(name, choice)), shownCount, themeButton());
  filterPlace.addEventListener("submit", (event) => event.preventDefault());
}
