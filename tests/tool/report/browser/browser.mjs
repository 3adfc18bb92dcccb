// A headless browser for the tests, and queries of its pages.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../../../../tool/report/web/node_modules/playwright-core/index.mjs";

const { BROWSER, PAGES, SCREENSHOTS } = process.env;
const AXE = new URL("../../../../tool/report/web/node_modules/axe-core/axe.min.js", import.meta.url);

// The sandbox does not work for root, and /dev/shm is small in containers.
export function launch() {
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

export function samplePath(kind) {
  return path.join(PAGES, `${kind}.html`);
}

export function sampleTrials() {
  return JSON.parse(readFileSync(`${samplePath("usual")}.json`, "utf8"));
}

// Opens a sample page, records its errors and requests, and waits until it is drawn.
export async function open(browser, kind, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== pathToFileURL(samplePath(kind)).href) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(samplePath(kind)).href + (options.hash ?? ""));
  await page.waitForSelector("html[data-ready=yes]", { timeout: 120_000 });
  return { page, complaints };
}

// Opens the sections of these ids, or all, which draws their charts.
export function unfold(page, ...ids) {
  return page.evaluate((wanted) => {
    for (const section of sections) if (wanted.length === 0 || wanted.includes(section.about.id)) section.open();
    for (const [id, fold] of folds) if (wanted.length === 0 || wanted.includes(id)) fold.open = true;
  }, ids);
}

// What axe has against the page, as texts.
export async function axeViolations(page) {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
}

export function screenshot(page, name, options = { fullPage: true }) {
  return page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), ...options });
}

export function data(page) {
  return page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent));
}

// Returns the title, the text and the series of each chart of a section, which it opens.
export async function charts(page, section) {
  if (section !== "answers") await unfold(page, section);
  return page.$$eval(`#${section} .chart`, (places) => places.map((place) => {
    const option = echarts.getInstanceByDom(place).getOption();
    return {
      title: place.parentElement.querySelector("h3")?.textContent ?? "",
      words: place.getAttribute("aria-label"),
      role: place.getAttribute("role"),
      categories: option.yAxis[0].data ?? option.xAxis[0].data ?? [],
      across: option.xAxis[0].data ?? [],
      series: option.series.map(({ name, type, data: values, symbol, lineStyle }) =>
        ({ name, type, data: values.map((value) => value?.value ?? value), symbol, dash: lineStyle?.type })),
      drawn: place.querySelectorAll("svg path, canvas").length,
    };
  }));
}

// What is written in each chart of a section: texts with their places, in pixels of the chart, and the size of the chart.
export async function texts(page, section) {
  if (section !== "answers") await unfold(page, section);
  return page.$$eval(`#${section} .chart`, (places) => places.map((place) => {
    const chart = echarts.getInstanceByDom(place);
    const written = chart.getZr().storage.getDisplayList(true).filter(({ type, style }) => type === "tspan" && style.text).map((each) => {
      const rect = each.getBoundingRect().clone();
      if (each.transform) rect.applyTransform(each.transform);
      return { text: each.style.text, x: rect.x, y: rect.y, width: rect.width, height: rect.height };
    });
    return { width: chart.getWidth(), height: chart.getHeight(), written };
  }));
}

// Opens a section's table, and returns the texts of its cells.
export async function table(page, section) {
  await unfold(page, section);
  await page.$eval(`#${section} details.table`, (fold) => { fold.open = true; });
  await page.waitForSelector(`#${section} details.table tbody tr, #${section} details.table table`);
  return page.$$eval(`#${section} details.table tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

export async function choose(page, name, words) {
  await page.selectOption(`#filter-${name}`, { label: words });
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function isNear(value, expected) {
  return Math.abs(value - expected) <= 1e-5 * Math.abs(expected);
}
