// Tables with the figures of the charts. Long tables show their first rows, and more on request; a heading sorts them.

const firstRows = 50;
const moreRows = 500;

// Columns that stay in sight when the table is scrolled sideways stick to its `stays`, "left" or "right".
function classOf(column) {
  return [column.number ? "number" : column.words ? "words" : "", column.stays ? `stays-${column.stays}` : ""].filter(Boolean).join(" ");
}

function tableRow(columns, row, index) {
  const line = document.createElement("tr");
  for (const column of columns)
    line.append(element("td", classOf(column), column.text(row, index)));
  if (columns.isInvalid && columns.isInvalid(row)) line.className = "invalid";
  return line;
}

// What a column sorts a row by: a number, or a text.
function sortValue(column, row, index) {
  if (column.value) return column.value(row, index) ?? -Infinity;
  const text = String(column.text(row, index));
  if (!column.number) return text;
  const number = parseFloat(text.replace(/,/g, ""));
  return Number.isNaN(number) ? -Infinity : number;
}

function sorted(columns, rows, { column, down }) {
  const of = columns[column];
  const order = rows.map((row, index) => [sortValue(of, row, index), row]);
  order.sort(([a], [b]) => typeof a === "string" ? String(a).localeCompare(String(b), "en", { numeric: true }) : a - b);
  if (down) order.reverse();
  return order.map(([, row]) => row);
}

// Fills `place` with the first rows and a button for more. `order`: {column, down} if the reader sorted.
function fillTable(place, name, columns, rows, order, sortBy) {
  const scroll = element("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", `Table: ${name}`);
  const table = document.createElement("table");
  const caption = table.createCaption();
  const head = table.createTHead().insertRow();
  columns.forEach((column, number) => {
    const cell = element("th", classOf(column));
    cell.scope = "col";
    const isSorted = order?.column === number;
    cell.setAttribute("aria-sort", !isSorted ? "none" : order.down ? "descending" : "ascending");
    const button = element("button", "", column.title);
    button.type = "button";
    // Figures begin with the largest, names with A.
    button.addEventListener("click", () => sortBy({ column: number, down: isSorted ? !order.down : Boolean(column.number) }));
    cell.append(button);
    head.append(cell);
  });
  const body = table.createTBody();
  const more = element("button", "more");
  more.type = "button";
  const list = order ? sorted(columns, rows, order) : rows;
  const show = (upTo) => {
    for (let i = body.rows.length, end = Math.min(upTo, list.length); i < end; ++i) body.append(tableRow(columns, list[i], i));
    const left = list.length - body.rows.length;
    more.hidden = left === 0;
    more.textContent = `Show ${count(Math.min(left, moreRows))} more of ${count(left)}`;
    const shown = left > 0 ? `, of which the first ${count(body.rows.length)} are shown` : "";
    caption.textContent = `${name}: ${plural(rows.length, "row")}${shown}. A heading sorts by its column.${columns.isInvalid ? " Invalid ones are red." : ""}`;
  };
  more.addEventListener("click", () => show(body.rows.length + moreRows));
  show(firstRows);
  scroll.append(table);
  place.replaceChildren(scroll, more);
}

// The table of a section, built when it is first opened.
class TableFold {
  constructor(name, isOpen) {
    this.fold = element("details", "table");
    this.fold.open = isOpen;
    this.summary = document.createElement("summary");
    this.place = element("div");
    this.fold.append(this.summary, this.place);
    this.name = name;
    this.fold.addEventListener("toggle", () => this.fill());
  }

  update(columns, rows) {
    Object.assign(this, { columns, rows, filled: false, order: null });
    this.summary.textContent = `${this.name}: table of ${plural(rows.length, "row")}`;
    this.fill();
  }

  fill() {
    if (!this.fold.open || this.filled || !this.columns) return;
    this.filled = true;
    this.show();
  }

  show() {
    fillTable(this.place, this.name, this.columns, this.rows, this.order, (order) => {
      this.order = order;
      this.show();
      this.place.querySelectorAll("th button")[order.column].focus();
    });
  }
}
