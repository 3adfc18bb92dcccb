// A section of the page, which opens and closes: what it shows in a sentence, charts, and the table behind them.

const panelsAtFirst = 6;
const hasCharts = typeof echarts !== "undefined";
const sections = [];
let onPaper = false;  // which shows all charts and answers

// The frame of a chart with its words; returns the element that the chart is drawn in.
function chartFrame(panels, panel, name) {
  const frame = document.createElement("figure");
  const caption = document.createElement("figcaption");
  if (panel.title) caption.append(element("h3", "", panel.title));
  caption.append(element("p", "", panel.summary));
  frame.append(caption);
  panels.append(frame);
  if (panel.empty) {
    caption.lastChild.className = "empty";
    return null;
  }
  const place = element("div", "chart");
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", `${name}. ${panel.title ? panel.title + ". " : ""}${panel.summary}`);
  frame.append(place);
  return place;
}

// A chart, and how it is laid out for a width.
class Chart {
  constructor(panel, place) {
    Object.assign(this, { panel, place });
    const height = this.heightAt(place.clientWidth);
    place.style.height = `${height}px`;
    this.instance = echarts.init(place, null, { renderer: panel.renderer || "svg" });
    this.draw(place.clientWidth, height);
  }

  heightAt(width) {
    const { height } = this.panel;
    return typeof height === "function" ? height(width) : height;
  }

  draw(width, height) {
    this.instance.setOption({ ...baseOption(), ...this.panel.option(width) }, { notMerge: true });
    if (this.panel.names) this.instance.setOption({ graphic: this.panel.names(this.instance, width, height) });
  }

  // Layouts that depend on the width are computed again. `width`: on paper, where charts are lower, so that pages are
  // full; otherwise as wide as its place.
  resize(width) {
    const wide = width || this.place.clientWidth;
    const height = Math.round(this.heightAt(wide) * (width ? this.panel.onPaper || 0.7 : 1));
    this.place.style.height = `${height}px`;
    this.instance.resize(width ? { silent: true, width, height } : { silent: true });
    this.draw(wide, height);
  }

  dispose() {
    this.instance.dispose();
  }
}

// `about`: id, title, lead, charts(shown) → [{title, summary, option(width), names(chart, width, height): elements over it, height or height(width), onPaper: share of the
// height}] or {empty: why}, and table(shown) → {columns, rows}; tools: elements above the charts; isOpen: at first.
class Section {
  constructor(about) {
    Object.assign(this, { about, charts: [], panelLimit: panelsAtFirst, isDrawn: false });
    this.root = document.createElement("section");
    this.root.id = about.id;
    this.root.setAttribute("aria-labelledby", `${about.id}-title`);
    this.fold = element("details", "part");
    this.fold.open = Boolean(about.isOpen) || !hasCharts;
    const summary = document.createElement("summary");
    const title = element("h2", "", about.title);
    title.id = `${about.id}-title`;
    this.finding = element("span", "finding");
    summary.append(title, this.finding);
    this.panels = element("div", "panels");
    this.more = element("button", "more");
    this.more.type = "button";
    this.more.addEventListener("click", () => {
      this.panelLimit = Infinity;
      this.draw();
    });
    this.table = new TableFold(about.title, !hasCharts);
    this.fold.append(summary, element("p", "lead", about.lead));
    if (about.tools) this.fold.append(about.tools);
    if (hasCharts) this.fold.append(this.panels, this.more);
    this.fold.append(this.table.fold);
    this.fold.addEventListener("toggle", () => {
      if (this.fold.open && !this.isDrawn) this.draw();
      writeAddress();
    });
    this.root.append(this.fold);
    sections.push(this);
  }

  get isOpen() {
    return this.fold.open;
  }

  open(isOpen = true) {
    this.fold.open = isOpen;
    if (isOpen && !this.isDrawn) this.draw();
  }

  update(shown) {
    this.shown = shown;
    this.panelLimit = panelsAtFirst;
    this.refresh();
    const { columns, rows } = this.about.table(shown);
    this.table.update(columns, rows);
  }

  // The charts change, the table does not. Those of a closed section are drawn when it opens.
  refresh() {
    this.isDrawn = false;
    const panels = this.about.charts(this.shown);
    // Of several charts, the finding of the first, and of what.
    const [first] = panels.empty ? [{ summary: panels.empty }] : panels;
    this.finding.textContent = `${panels.length > 1 && first.title ? `${first.title}: ` : ""}${first.summary ?? ""}`;
    this.root.classList.toggle("nothing", Boolean(panels.empty));
    if (this.fold.open) this.draw();
  }

  draw() {
    this.isDrawn = true;
    if (!hasCharts) return;
    for (const chart of this.charts) chart.dispose();
    this.charts = [];
    const panels = this.about.charts(this.shown);
    this.panels.replaceChildren();
    this.more.hidden = true;
    if (panels.empty) {
      this.panels.append(element("p", "empty", panels.empty));
      return;
    }
    // All frames are created first, because the width of each depends on the others.
    const limit = onPaper ? Infinity : this.panelLimit;
    const places = panels.slice(0, limit).map((panel) => [panel, chartFrame(this.panels, panel, this.about.title)]);
    for (const [panel, place] of places) if (place) this.charts.push(new Chart(panel, place));
    const left = panels.length - limit;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${plural(left, "more chart")}`;
  }

  resize(width) {
    for (const chart of this.charts) chart.resize(width && (this.charts.length > 1 ? width.half : width.whole));
  }
}

// One panel for each group that has something to show; make(group, rows) returns null if it has nothing.
function panelsOf(shown, make, whyEmpty) {
  const panels = shown.map(({ group, rows }) => make(group, rows)).filter(Boolean);
  if (panels.length > 0) return panels;
  return { empty: shownRows().length === 0 ? nothingPasses() : whyEmpty };
}

// Whether file systems were compared, not methods alone.
function isOfVolumes(group) {
  return group.kind === "filesystems";
}

// The groups whose plans are compared with one another; peers and file systems have sections of their own.
function contests(shown) {
  return shown.filter(({ group }) => group.role === "contest" && group.kind !== "peers" && !isOfVolumes(group));
}

function rowsOf(shown) {
  return shown.flatMap(({ rows }) => rows);
}
