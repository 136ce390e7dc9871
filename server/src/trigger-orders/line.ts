/** The price that an order waits for: it fires there or beyond. */
export interface Line {
  condition: 'above' | 'below';
  usd: number;
}

/** Whether a price is at the line or beyond. */
export function isBeyond(usd: number, line: Line): boolean {
  return line.condition === 'above' ? usd >= line.usd : usd <= line.usd;
}
