// Takes pictures: of the first screen of a report, node picture.mjs REPORT.html PICTURE.png,
// or of any pages, whole or their first screens, each to a picture beside it: node picture.mjs --whole|--first PAGE.html…
import { execSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../tool/report/web/node_modules/playwright-core/index.mjs";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath = execSync(names.map((name) => `command -v ${name}`).join(" || "), { shell: "/bin/sh" }).toString().trim();
// The sandbox does not work for root, and /dev/shm is small in containers.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
async function take(page, picture, size, options = {}) {
  const view = await browser.newPage({ viewport: size });
  await view.goto(pathToFileURL(path.resolve(page)).href);
  if (options.selector) await view.waitForSelector(options.selector);
  await view.screenshot({ path: picture, fullPage: options.whole });
  await view.close();
}
const [how, ...pages] = process.argv.slice(2);
if (how === "--whole" || how === "--first")
  for (const page of pages)
    await take(page, page.replace(/html$/, "png"), { width: 1012, height: how === "--first" ? 1000 : 400 }, { whole: how === "--whole" });
else await take(how, pages[0], { width: 1280, height: 900 }, { selector: "html[data-ready=yes]" });
await browser.close();
