// A headless browser for the tests, and queries of its pages.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../../../../tool/report/web/node_modules/playwright-core/index.mjs";

const { BROWSER, PAGES, SCREENSHOTS } = process.env;

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
    if (request.url() !== pathToFileURL(samplePath(kind)).href) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(samplePath(kind)).href);
  await page.waitForSelector("html[data-ready=yes]", { timeout: 120_000 });
  return { page, complaints };
}

export function screenshot(page, name, options = { fullPage: true }) {
  return page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), ...options });
}

export function data(page) {
  return page.evaluate(() => JSON.parse(document.getElementById("report-data").textContent));
}

// Returns the title, the text and the series of each chart of a section.
export function charts(page, section) {
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

// Opens a section's table, and returns the texts of its cells.
export async function table(page, section) {
  await page.$eval(`#${section} details`, (fold) => { fold.open = true; });
  await page.waitForSelector(`#${section} details tbody tr, #${section} details table`);
  return page.$$eval(`#${section} details tbody tr`, (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
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
