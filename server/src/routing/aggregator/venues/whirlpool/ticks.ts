/** The lowest tick is -MAX_TICK. */
export const MAX_TICK = 443_636;
/** Square roots of the prices at the ends, with 64 fractional bits. */
export const MIN_SQRT_PRICE = 4_295_048_016n;
export const MAX_SQRT_PRICE = 79_226_673_515_401_279_992_447_579_055n;

/**
 * sqrt(1.0001) to the power of 2^i, for the bits of a tick above 0 with 96 fractional bits, for one below 0 with 64: the
 * program's constants, so that the rounding is its own.
 */
const RAISES = [
  79232123823359799118286999567n,
  79236085330515764027303304731n,
  79244008939048815603706035061n,
  79259858533276714757314932305n,
  79291567232598584799939703904n,
  79355022692464371645785046466n,
  79482085999252804386437311141n,
  79736823300114093921829183326n,
  80248749790819932309965073892n,
  81282483887344747381513967011n,
  83390072131320151908154831281n,
  87770609709833776024991924138n,
  97234110755111693312479820773n,
  119332217159966728226237229890n,
  179736315981702064433883588727n,
  407748233172238350107850275304n,
  2098478828474011932436660412517n,
  55581415166113811149459800483533n,
  38992368544603139932233054999993551n,
] as const;
const FALLS = [
  18445821805675392311n,
  18444899583751176498n,
  18443055278223354162n,
  18439367220385604838n,
  18431993317065449817n,
  18417254355718160513n,
  18387811781193591352n,
  18329067761203520168n,
  18212142134806087854n,
  17980523815641551639n,
  17526086738831147013n,
  16651378430235024244n,
  15030750278693429944n,
  12247334978882834399n,
  8131365268884726200n,
  3584323654723342297n,
  696457651847595233n,
  26294789957452057n,
  37481735321082n,
] as const;

/**
 * The square root of 1.0001 to the power of a tick, with 64 fractional bits; within the limits, exactly the program's.
 */
export function sqrtPriceAt(tick: number): bigint {
  const [factors, bits] = tick < 0 ? ([FALLS, 64n] as const) : ([RAISES, 96n] as const);
  let ratio = 1n << bits;
  let left = Math.abs(tick);
  for (let i = 0; left > 0; i++, left >>= 1) {
    if (left & 1) ratio = (ratio * factors[i]!) >> bits;
  }
  return tick < 0 ? ratio : ratio >> 32n;
}

const LOG_OF_STEP = Math.log(1.0001) / 2;
const ONE = 2 ** 64;

/** The last tick at or below a price between the ends. */
export function tickAt(sqrtPrice: bigint): number {
  let tick = Math.round(Math.log(Number(sqrtPrice) / ONE) / LOG_OF_STEP);
  // The logarithm is off by far less than a tick.
  while (sqrtPriceAt(tick) > sqrtPrice) tick -= 1;
  while (tick < MAX_TICK && sqrtPriceAt(tick + 1) <= sqrtPrice) tick += 1;
  return tick;
}
