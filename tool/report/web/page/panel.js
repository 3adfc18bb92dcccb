// A section of the page: a heading, charts, and the table behind them.

const panelsAtFirst = 6;
const hasCharts = typeof echarts !== "undefined";
const sections = [];

// `about`: id, title, lead, charts(shown) → [{title, summary, option, height, wide}] or {empty: why}, and
// table(shown) → {columns, rows}; tools: elements above the charts.
class Section {
  constructor(about) {
    Object.assign(this, { about, instances: [], panelLimit: panelsAtFirst });
    this.root = document.createElement("section");
    this.root.id = about.id;
    this.panels = element("div", "panels");
    this.more = element("button", "more");
    this.more.type = "button";
    this.more.addEventListener("click", () => {
      this.panelLimit = Infinity;
      this.drawCharts();
    });
    this.table = new TableFold(about.title, !hasCharts);
    this.root.append(element("h2", "", about.title), element("p", "lead", about.lead));
    if (about.tools) this.root.append(about.tools);
    if (hasCharts) this.root.append(this.panels, this.more);
    this.root.append(this.table.fold);
    sections.push(this);
  }

  update(shown) {
    this.shown = shown;
    this.panelLimit = panelsAtFirst;
    if (hasCharts) this.drawCharts();
    const { columns, rows } = this.about.table(shown);
    this.table.update(columns, rows);
  }

  drawCharts() {
    for (const instance of this.instances) instance.dispose();
    this.instances = [];
    const charts = this.about.charts(this.shown);
    this.panels.replaceChildren();
    this.more.hidden = true;
    if (charts.empty) {
      this.panels.append(element("p", "empty", charts.empty));
      return;
    }
    // All frames are created first, because the width of each depends on the others.
    const places = charts.slice(0, this.panelLimit).map((panel) => [panel, this.frame(panel)]);
    for (const [panel, place] of places) if (place) this.drawPanel(panel, place);
    const left = charts.length - this.panelLimit;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${plural(left, "more chart")}`;
  }

  // Adds a frame with its text; returns the element for the chart.
  frame(panel) {
    const frame = document.createElement("figure");
    const caption = document.createElement("figcaption");
    if (panel.title) caption.append(element("h3", "", panel.title));
    caption.append(element("p", "", panel.summary));
    frame.append(caption);
    this.panels.append(frame);
    if (panel.empty) {
      caption.lastChild.className = "empty";
      return null;
    }
    const place = element("div", "chart");
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${this.about.title}. ${panel.title ? panel.title + ". " : ""}${panel.summary}`);
    place.style.height = `${panel.height || 300}px`;
    frame.append(place);
    return place;
  }

  drawPanel(panel, place) {
    const instance = echarts.init(place, null, { renderer: panel.renderer || "svg" });
    instance.setOption({ ...baseOption(), ...panel.option(place.clientWidth) });
    instance.freshetOption = panel.option;
    this.instances.push(instance);
  }

  resize() {
    for (const instance of this.instances) {
      const place = instance.getDom();
      instance.resize({ silent: true });
      // Layouts that depend on the width are computed again.
      instance.setOption({ ...baseOption(), ...instance.freshetOption(place.clientWidth) }, { notMerge: true });
    }
  }
}

// One panel for each group that has something to show; make(group, rows) returns null if it has nothing.
function panelsOf(shown, make, whyEmpty) {
  const panels = shown.map(({ group, rows }) => make(group, rows)).filter(Boolean);
  if (panels.length > 0) return panels;
  return { empty: shownRows().length === 0 ? nothingPasses() : whyEmpty };
}

// The groups whose plans are compared with one another.
function contests(shown) {
  return shown.filter(({ group }) => group.contest);
}

function rowsOf(shown) {
  return shown.flatMap(({ rows }) => rows);
}
