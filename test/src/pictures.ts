import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';

/** What decides how text looks: a picture made with another one cannot be compared to the pixel. */
export async function looksOf(browser: Browser): Promise<{ chromium: string; fonts: string }> {
  const page = await browser.newPage();
  // Widths of words in the families and weights of the console, which another font does not have.
  const widths = await page.evaluate<string>(`(() => {
    const context = document.createElement('canvas').getContext('2d');
    const families = ['ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif', 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace'];
    return families.flatMap((family) => ['400 13px ', '600 15px '].map((size) => {
      context.font = size + family;
      return context.measureText('Slipway 0123456789 ↕ … gfjQ').width;
    })).join();
  })()`);
  await page.close();
  return { chromium: browser.version(), fonts: createHash('sha256').update(widths).digest('hex').slice(0, 16) };
}

/** Which part of two pictures differs by more than a shade; 1 where they have not the same size. */
export async function differenceOf(comparer: Page, one: Buffer, other: Buffer): Promise<number> {
  const urls = [one, other].map((png) => `data:image/png;base64,${png.toString('base64')}`);
  return comparer.evaluate<number>(`(async () => {
    const [one, other] = await Promise.all(${JSON.stringify(urls)}.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }));
    if (one.width !== other.width || one.height !== other.height) return 1;
    const SHADE = 40;
    let different = 0;
    for (let at = 0; at < one.data.length; at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(one.data[at + channel] - other.data[at + channel]) > SHADE)) different++;
    }
    return different / (one.data.length / 4);
  })()`);
}
