// Tables with the figures of the charts. Long tables show their first rows, and more on request.

const firstRows = 50;
const moreRows = 500;

function tableRow(columns, row, index) {
  const line = document.createElement("tr");
  for (const column of columns) {
    const cell = element("td", column.number ? "number" : column.words ? "words" : "", column.text(row, index));
    line.append(cell);
  }
  if (columns.isInvalid && columns.isInvalid(row)) line.className = "invalid";
  return line;
}

// Fills `place` with the first rows and a button for more.
function fillTable(place, columns, rows) {
  const scroll = element("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Table");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const column of columns) {
    const cell = element("th", column.number ? "number" : "", column.title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  const more = element("button", "more");
  more.type = "button";
  const show = (upTo) => {
    for (let i = body.rows.length, end = Math.min(upTo, rows.length); i < end; ++i) body.append(tableRow(columns, rows[i], i));
    const left = rows.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${count(Math.min(left, moreRows))} more of ${count(left)}`;
  };
  more.addEventListener("click", () => show(body.rows.length + moreRows));
  show(firstRows);
  scroll.append(table);
  place.replaceChildren(scroll, more);
}

// The table of a section, built when it is first opened.
class TableFold {
  constructor(name, isOpen) {
    this.fold = document.createElement("details");
    this.fold.open = isOpen;
    this.summary = document.createElement("summary");
    this.place = element("div");
    this.fold.append(this.summary, this.place);
    this.name = name;
    this.fold.addEventListener("toggle", () => this.fill());
  }

  update(columns, rows) {
    Object.assign(this, { columns, rows, filled: false });
    this.summary.textContent = `${this.name}: table of ${plural(rows.length, "row")}`;
    this.fill();
  }

  fill() {
    if (!this.fold.open || this.filled || !this.columns) return;
    fillTable(this.place, this.columns, this.rows);
    this.filled = true;
  }
}
