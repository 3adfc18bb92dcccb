// Where the names of points stand: inside the chart, and never on one another.

const nameSize = 11;     // pixels of the letters of names
const nameHeight = 13;   // of a line of them
const besidePoint = 11;  // from a point to its name
const dotSize = 10;      // of a point
const rowHeight = nameHeight + 3;
const nearby = 24;       // places that are tried first

function overlaps(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// The places to try for a label of that size near a point, the nearest first: below and above, towards either side.
function placesNear(point, { width, height }, area) {
  const inside = (x) => Math.max(area.left, Math.min(x, area.right - width));
  const columns = [point.x - width / 2, point.x + besidePoint, point.x - besidePoint - width].map(inside);
  const places = [];
  for (let step = 0; step * rowHeight < area.bottom - area.top; ++step)
    for (const x of columns)
      for (const y of [point.y + besidePoint + step * rowHeight, point.y - besidePoint - height - step * rowHeight])
        if (y >= area.top && y + height <= area.bottom) places.push({ x, y, width, height });
  return places;
}

// A place for a label of that size that covers none of `taken`, and, if there is one nearby, no point; undefined if there is none.
function freePlace(point, size, area, taken, dots) {
  const free = placesNear(point, size, area).filter((place) => !taken.some((other) => overlaps(place, other)));
  return free.slice(0, nearby).find((place) => !dots.some((dot) => overlaps(place, dot))) ?? free[0];
}

// From a point to its name.
function leaderLine({ x, y }, place) {
  const x2 = Math.max(place.x, Math.min(x, place.x + place.width));
  const y2 = place.y > y ? place.y : place.y + place.height - 2;
  return { type: "line", silent: true, z: 9, shape: { x1: x, y1: y, x2, y2 }, style: { stroke: colours().soft, lineWidth: 0.8 } };
}

// The names of some points, [{text, value}], as graphic elements of a chart that is drawn, inside `area`: the first ones, if there
// is no room for all. `all`: the values of all points of the chart.
function namesOfPoints(chart, points, all, area) {
  const { ink, paper } = colours();
  const font = `${nameSize}px ${baseOption().textStyle.fontFamily}`;
  const at = (value) => {
    const [x, y] = chart.convertToPixel({ gridIndex: 0 }, value);
    return { x, y };
  };
  const dots = all.map(at).map(({ x, y }) => ({ x: x - dotSize / 2, y: y - dotSize / 2, width: dotSize, height: dotSize }));
  const taken = [];
  return points.flatMap(({ text, value }) => {
    const { width } = echarts.format.getTextRect(text, font);
    const place = freePlace(at(value), { width: width + 6, height: nameHeight + 2 }, area, taken, dots);
    if (!place) return [];
    taken.push(place);
    return [leaderLine(at(value), place), { type: "text", silent: true, z: 10, x: place.x, y: place.y,
      style: { text, font, fill: ink, stroke: paper, lineWidth: 3, align: "left", verticalAlign: "top" } }];
  });
}
