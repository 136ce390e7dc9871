import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EventKind, SlipwayEvent } from '@slipway/client';
import { Webhook as Verifier } from 'standardwebhooks';
import { launch, type Program, run, SLIPWAY } from './command.js';
import { createSchemaCheck, documentOf } from './openapi-document.js';
import { eventually } from './rounds.js';
import { type Service, startOnOwnPort, startService } from './service.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/dist/trigger.js', import.meta.url));

let service: Service;
/** The working directory of every command; nothing of the service is in it. */
let cwd: string;
before(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'slipway-listen-'));
  service = await startOnOwnPort();
});
after(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await service?.close();
  rmSync(cwd, { recursive: true, force: true });
});

const settings = () => ({ SLIPWAY_URL: service.url, SLIPWAY_DATA_DIR: service.dataDir });
const slipway = (...args: string[]) => run(SLIPWAY, args, { env: settings(), cwd });

const programs: Program[] = [];

/** Starts `slipway listen`, and waits until it does. */
async function listening(...args: string[]): Promise<Program> {
  const program = launch(SLIPWAY, ['listen', ...args], { env: settings(), cwd });
  programs.push(program);
  const begun = eventually('it listens', async () => program.log().includes('listening') || undefined);
  await Promise.race([begun, program.ended.then(({ error }) => assert.fail(error))]);
  return program;
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const eventsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line) as SlipwayEvent);

async function stopped(program: Program) {
  program.child.kill('SIGINT');
  const ended = await program.ended;
  assert.equal(ended.code, 0, ended.error);
  return ended;
}

interface Posted {
  body: string;
  headers: IncomingHttpHeaders;
}

/** A receiver that answers with this status. */
async function receiver(status: number) {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      posted.push({ body, headers: request.headers });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { posted, close, url: `http://localhost:${(server.address() as AddressInfo).port}/hook` };
}

describe('slipway listen', () => {
  it('shows the fill of an order that another process has placed', async (t) => {
    const program = await listening('--types', 'order.*', '--json');
    const seen = program.says(/.*"order\.filled".*\n/).then(([line]) => ({ line, at: Date.now() }));
    const example = await run(EXAMPLE, [], { env: settings(), cwd });
    assert.equal(example.code, 0, example.error);
    const { line, at } = await seen;
    const filled = JSON.parse(line) as SlipwayEvent;
    assert.ok(filled.kind === 'order.filled');
    assert.ok(example.out.includes(filled.data.order) && example.out.includes(filled.data.signature!));
    t.diagnostic(`the fill was shown ${at - Date.parse(filled.at)} ms after it was written down`);
    const events = eventsOf((await stopped(program)).out);
    assert.deepEqual(events.map(({ kind }) => kind).slice(0, 3), ['order.opened', 'order.triggered', 'order.filled']);
  });

  it('prints a line for people, and only of the wallet that is asked for', async () => {
    const all = await listening();
    const none = await listening('--wallet', 'So11111111111111111111111111111111111111112');
    const { out } = await slipway('trigger', 'transaction.landed');
    const [event] = linesOf(out);
    assert.match(event!, /#\d+ {2}transaction\.landed {2}wallet=\w+ .*\barea=swap\b/);
    // Of the swap above, others may be told later than it was shown.
    await all.says(new RegExp(`^${event!.replaceAll(/[^\w ]/g, '\\$&')}$`, 'm'));
    await stopped(all);
    assert.equal((await stopped(none)).out, '');
  });

  it('goes on by itself when the service is killed and comes back', async () => {
    const { port } = new URL(service.url);
    const program = await listening('--types', 'transaction.landed', '--json');
    await slipway('trigger', 'transaction.landed');
    const { dataDir } = service;
    await service.kill();
    service = await startService({ dataDir, env: { SLIPWAY_PORT: port } });
    await slipway('trigger', 'transaction.landed');
    await program.says(/\n.*\n/);
    const events = eventsOf((await stopped(program)).out);
    assert.equal(events.length, 2);
    // Once more for each time that it was cut off: a machine that stands still does that, too.
    assert.ok(program.log().match(/"listening"/g)!.length >= 2, program.log());
  });

  it('posts each event as a webhook does, and says what was answered', async () => {
    const { posted, url, close } = await receiver(204);
    const failing = await receiver(500);
    try {
      const good = await listening('--forward', url, '--types', 'invite.*');
      const bad = await listening('--forward', failing.url, '--types', 'invite.*', '--json');
      // Again where this process stood still for so long that its answers were given up.
      for (let all = 2; ; all += 2) {
        await slipway('trigger', 'invite.claimed');
        const [told] = await good.says(new RegExp(`(?:[\\s\\S]*?-> .* in \\d+ ms\n){${all}}`));
        const [written] = await bad.says(new RegExp(`(?:[\\s\\S]*?"forwarded".*\n){${all}}`));
        const last = [...linesOf(told).slice(-4), ...linesOf(written).slice(-4)].join();
        if (!last.includes('no answer within')) break;
      }
      const [, secret = ''] = /(whsec_\S+)/.exec(good.log()) ?? [];
      const verifier = new Verifier(secret);
      const bodies = posted.map(({ body, headers }) => verifier.verify(body, headers as Record<string, string>));
      assert.deepEqual(
        bodies.slice(-2).map((body) => (body as SlipwayEvent).kind),
        ['invite.created', 'invite.claimed'],
      );
      assert.equal(
        linesOf((await stopped(good)).out)
          .at(-1)!
          .replace(/\d+ ms$/, ''),
        '  -> 204 in ',
      );
      const lines = linesOf((await stopped(bad)).out)
        .slice(-4)
        .map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.map(({ forwarded }) => forwarded?.status),
        [undefined, 500, undefined, 500],
      );
      assert.equal(lines[1].number, lines[0].number);
    } finally {
      close();
      failing.close();
    }
  });
});

describe('slipway trigger', () => {
  let check: ReturnType<typeof createSchemaCheck>;
  before(async () => {
    check = createSchemaCheck(await documentOf(service));
  });
  const cause = async (kind: string) => {
    const { code, out, error } = await slipway('trigger', kind, '--json');
    assert.equal(code, 0, `${kind}: ${error}\n${linesOf(service.log()).slice(-60).join('\n')}`);
    const event = JSON.parse(out) as SlipwayEvent;
    assert.equal(event.kind, kind);
    assert.equal(check('Event', event), undefined, out);
  };

  it('causes every kind of event, and prints it', async () => {
    const listed = await slipway('trigger', '--json');
    const kinds = Object.entries(JSON.parse(listed.out) as Record<EventKind, string>);
    const [moving, others] = [/clock/, /^(?!.*clock)/].map((which) =>
      kinds.filter(([, about]) => which.test(about)).map(([kind]) => kind),
    );
    while (others!.length > 0) await Promise.all(others!.splice(0, 3).map(cause));
    for (const kind of moving!) await cause(kind);
  });
});

it('what cannot be done is said', async () => {
  const cases: [args: string[], code: number, says: RegExp][] = [
    [['trigger', 'order.fild'], 2, /no event is called order\.fild: did you mean order\.filled\?/],
    [['trigger', 'nonsense'], 2, /"slipway trigger" lists all/],
    [['listen', '--types', 'order.nonsense'], 2, /--types: expected kinds of events/],
    [['listen', '--wallet', 'nobody'], 2, /--wallet must be the address of a wallet, or one of alice/],
    [['listen', '--forward', 'localhost:3000'], 2, /--forward: expected http: or https:/],
    [['listen', '--url', 'http://127.0.0.1:1'], 1, /does not answer: start it with "slipway serve"/],
    [['trigger', 'order.filled', '--url', 'http://127.0.0.1:1'], 1, /does not answer/],
  ];
  const all = await Promise.all(cases.map(([args]) => slipway(...args)));
  for (const [index, { code, out, error }] of all.entries()) {
    const [args, expected, says] = cases[index]!;
    assert.deepEqual([code, out], [expected, ''], `${args.join(' ')}: ${error}`);
    assert.match(error, says);
  }
  const unknown = await run(SLIPWAY, ['listen'], { env: { ...settings(), SLIPWAY_API_KEY: 'unknown' }, cwd });
  assert.equal(unknown.code, 1);
  assert.match(unknown.error, /set SLIPWAY_API_KEY/);
});
