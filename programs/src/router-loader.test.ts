import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_SWAP_PROGRAM } from './pool.js';
import { readProgram } from './program-files.js';
import { ROUTER_PROGRAM, type Route, routeInstruction } from './router.js';
import { holding, newToken, openPoolOf, poolHop } from './router-testing.js';
import { newAddress, ownUnits, programUnderTest, succeeded, TestVm } from './test-vm.js';

for (const features of ['default', 'all'] as const) {
  test(`the program runs as deployed by the upgradeable loader, with ${features} features`, (t) => {
    const vm = new TestVm(features);
    vm.deploy(TOKEN_SWAP_PROGRAM, readProgram('pool'));
    vm.deploy(ROUTER_PROGRAM, programUnderTest('router'));
    const taker = newAddress();
    const tokens = Array.from({ length: 4 }, () => newToken(vm));
    const places = tokens.map((token) => holding(vm, token, taker));
    vm.setAmount(places[0]!, 10n ** 9n);
    const hops = [0, 1, 2, 0].map((from, i) => {
      const pool = openPoolOf(vm, tokens[from]!, tokens[from + 1]!, [10n ** 10n + BigInt(i), 10n ** 10n]);
      return poolHop(pool, true, taker, places[from]!, places[from + 1]!);
    });
    const fee = {
      bps: 50,
      from: places[0]!,
      account: holding(vm, tokens[0]!, newAddress()),
      mint: tokens[0]!.mint,
      decimals: 6,
    };
    const split = [
      { ...hops[0]!, shareBps: 5_000 },
      { ...hops[3]!, shareBps: 5_000 },
    ];
    const routes: [string, number, Partial<Route>][] = [
      ['1 hop', 1, { hops: hops.slice(0, 1) }],
      ['1 hop and a fee', 1, { hops: hops.slice(0, 1), fee: { ...fee, tokenProgram: vm.owner(places[0]!) } }],
      ['1 hop, split over two pools', 1, { hops: split }],
      ['2 hops', 2, { hops: hops.slice(0, 2) }],
      ['3 hops', 3, { hops: hops.slice(0, 3) }],
    ];
    for (const [name, last, parts] of routes) {
      const route = {
        taker,
        source: places[0]!,
        destination: places[last]!,
        amountIn: 1_000_000n,
        minOut: 900_000n,
        hops: [],
      };
      const outcome = succeeded(vm.run(routeInstruction({ ...route, ...parts })));
      const own = ownUnits(outcome, ROUTER_PROGRAM);
      t.diagnostic(`${name}: ${outcome.computeUnits} CU, of them ${own} the router's own`);
      assert.ok(outcome.computeUnits < 200_000, 'more than a transaction has without asking');
      assert.ok(own > 0 && own < 20_000);
    }
  });
}
