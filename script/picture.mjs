// Takes pictures: of the first screen of a report, node picture.mjs REPORT.html PICTURE.png,
// or of all of any pages, each to a PICTURE beside it: node picture.mjs --whole PAGE.html…
import { execSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../tool/report/web/node_modules/playwright-core/index.mjs";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath = execSync(names.map((name) => `command -v ${name}`).join(" || "), { shell: "/bin/sh" }).toString().trim();
// The sandbox does not work for root, and /dev/shm is small in containers.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
async function take(page, picture, whole) {
  const view = await browser.newPage({ viewport: whole ? { width: 1012, height: 400 } : { width: 1280, height: 900 } });
  await view.goto(pathToFileURL(path.resolve(page)).href);
  if (!whole) await view.waitForSelector("html[data-ready=yes]");
  await view.screenshot({ path: picture, fullPage: whole });
  await view.close();
}
if (process.argv[2] === "--whole")
  for (const page of process.argv.slice(3)) await take(page, page.replace(/html$/, "png"), true);
else await take(process.argv[2], process.argv[3], false);
await browser.close();
