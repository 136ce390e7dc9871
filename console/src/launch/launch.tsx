import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAct } from '../lib/act.js';
import { commaProblem } from '../lib/format.js';
import { useClient, useInfo, useWallet } from '../lib/sandbox.js';
import { How } from '../ui/how.js';
import { Button, Labelled, Panel } from '../ui/parts.js';
import { Steps } from '../ui/steps.js';
import { drawCurve } from './curve.js';
import { CurvePicture } from './curve-picture.js';
import { Launched } from './launched.js';
import { ACCEPTED, drawnPicture, type Picture, pictureOf } from './picture.js';

const PRESETS = {
  Usual: { initial: '16000', migration: '69000' },
  Steep: { initial: '5000', migration: '250000' },
  Flat: { initial: '30000', migration: '45000' },
} as const;

const NO_VESTING = {
  totalLockedVestingAmount: 0,
  cliffUnlockAmount: 0,
  numberOfVestingPeriod: 0,
  totalVestingDuration: 0,
  cliffDurationFromMigrationTime: 0,
} as const;

interface Form {
  name: string;
  symbol: string;
  description: string;
  initial: string;
  migration: string;
}

/** A token on a bonding curve, from its name to its page. */
export function Launch() {
  const { mints } = useInfo();
  const wallet = useWallet();
  const navigate = useNavigate();
  const { client, recorder } = useClient();
  const quote = mints.find(({ symbol }) => symbol === 'USDC') ?? mints[0]!;
  const [form, setForm] = useState<Form>({ name: 'Harbor', symbol: 'HARB', description: '', ...PRESETS.Usual });
  const [file, setFile] = useState<File>();
  const act = useAct<{ mint: string }>();
  const drawn = useMemo(() => curveOf(form, quote.decimals), [form, quote.decimals]);
  const problems = {
    name: problemOf(form.name, 32),
    symbol: problemOf(form.symbol, 10),
    curve: typeof drawn === 'string' ? drawn : undefined,
  };
  const ready = !problems.name && !problems.symbol && !problems.curve;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    void act.run(async (onProgress) => {
      const image: Picture = file ? await pictureOf(file) : await drawnPicture(form.symbol);
      const launched = await client.launch(requestOf(form, quote, image), { onProgress });
      await navigate({ to: '/launch/$mint', params: { mint: launched.mint } });
      return launched;
    });
  };
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Launch a token</h1>
      <div className="grid items-start gap-4 lg:grid-cols-[24rem_1fr]">
        <Panel title={`${wallet.name} launches`}>
          <form onSubmit={submit} className="grid gap-3 p-4">
            <Fields form={form} change={setForm} problems={problems} quote={quote.symbol} />
            <Labelled name="Picture (left out: one is drawn)">
              {(id) => (
                <input
                  id={id}
                  type="file"
                  accept={ACCEPTED}
                  className="field text-sm file:mr-3 file:cursor-pointer file:rounded file:border file:border-edge file:bg-sunken file:px-2 file:font-semibold file:text-ink"
                  onChange={({ target }) => setFile(target.files?.[0])}
                />
              )}
            </Labelled>
            <Button type="submit" disabled={!ready} busy={act.running}>
              Sign as {wallet.name} and launch {form.symbol}
            </Button>
            <Steps act={act}>Launched.</Steps>
          </form>
        </Panel>
        <div className="grid min-w-0 gap-4">
          <CurvePanel drawn={drawn} quote={quote.symbol} />
          <Panel title="Launched here">
            <Launched client={client} />
          </Panel>
          <StandIns />
        </div>
      </div>
      <How recorder={recorder} code={codeFor(form, quote)} />
    </>
  );
}

/** The curve, or why there is none. */
function CurvePanel({ drawn, quote }: { drawn: ReturnType<typeof curveOf>; quote: string }) {
  return (
    <Panel title="Its curve" aside={<span className="label">what all tokens are worth, as they sell</span>}>
      <div className="min-h-64 p-4">
        {typeof drawn === 'string' ? (
          <p className="text-down text-sm">{drawn}</p>
        ) : (
          <>
            <CurvePicture curve={drawn} quote={quote} />
            <p className="mt-2 text-soft text-sm">
              Until it moves to the AMM, buyers pay in{' '}
              {drawn.raised.toLocaleString('en-US', { maximumFractionDigits: 0 })} {quote}. The creator gets a part of
              the fee of 1 % on every trade.
            </p>
          </>
        )}
      </div>
    </Panel>
  );
}

/** Says of which programs there are only our versions here. */
function StandIns() {
  const standIns = useInfo().programs.filter(({ standIn }) => standIn);
  if (standIns.length === 0) return null;
  return (
    <p className="px-1 text-soft text-sm">
      Stand-ins run here for {standIns.map(({ name }) => name).join(', ')}: our versions of other companies’ programs.
      They do what launches need, and refuse the rest with error 7000. The command slipway programs pull brings the real
      ones.
    </p>
  );
}

interface FieldsProps {
  form: Form;
  change: (form: Form) => void;
  problems: { name: string | undefined; symbol: string | undefined };
  quote: string;
}

function Fields({ form, change, problems, quote }: FieldsProps) {
  const text = (field: keyof Form) => (id: string) => (
    <input
      id={id}
      className="field"
      value={form[field]}
      onChange={({ target }) => change({ ...form, [field]: target.value })}
    />
  );
  return (
    <>
      <div className="grid grid-cols-[1fr_7rem] gap-2">
        <Labelled name="Name" problem={problems.name}>
          {text('name')}
        </Labelled>
        <Labelled name="Symbol" problem={problems.symbol}>
          {text('symbol')}
        </Labelled>
      </div>
      <Labelled name="What it is for">{text('description')}</Labelled>
      <fieldset className="grid grid-cols-3 gap-2">
        <legend className="label mb-1">Curve</legend>
        {Object.entries(PRESETS).map(([name, preset]) => (
          <Button
            key={name}
            kind="quiet"
            className="px-2"
            aria-pressed={preset.initial === form.initial && preset.migration === form.migration}
            onClick={() => change({ ...form, ...preset })}
          >
            {name}
          </Button>
        ))}
      </fieldset>
      <div className="grid grid-cols-2 gap-2">
        <Labelled name={`Worth at first, ${quote}`}>{text('initial')}</Labelled>
        <Labelled name={`at the end, ${quote}`}>{text('migration')}</Labelled>
      </div>
    </>
  );
}

/** The curve of what is typed, or why there is none. */
function curveOf({ initial, migration }: Form, decimals: number) {
  const comma = commaProblem(initial + migration);
  if (comma) return `Type ${comma}.`;
  const [first, last] = [Number(initial), Number(migration)];
  if (!(first > 0) || !(last > first)) return 'Type two amounts; the second one must be larger.';
  try {
    return drawCurve(first, last, decimals);
  } catch (error) {
    return `No curve has these: ${(error as Error).message}.`;
  }
}

function problemOf(text: string, most: number): string | undefined {
  if (text.trim() === '') return 'is missing';
  return new TextEncoder().encode(text).length > most ? `at most ${most} bytes` : undefined;
}

function requestOf(form: Form, quote: { mint: string; decimals: number }, image: Picture) {
  return {
    buildCurveByMarketCapParam: {
      quoteMint: quote.mint,
      tokenQuoteDecimal: quote.decimals as 6 | 9,
      initialMarketCap: Number(form.initial),
      migrationMarketCap: Number(form.migration),
      lockedVestingParam: NO_VESTING,
    },
    antiSniping: false,
    fee: { feeBps: 100 as const },
    tokenName: form.name,
    tokenSymbol: form.symbol,
    ...(form.description && { description: form.description }),
    image,
  };
}

const codeFor = (form: Form, quote: { mint: string; decimals: number }) => `// signer: the creator's wallet
const { mint } = await client.launch({
  tokenName: ${JSON.stringify(form.name)},
  tokenSymbol: ${JSON.stringify(form.symbol)},
  image: { contentType: 'image/png', bytes },
  buildCurveByMarketCapParam: {
    quoteMint: '${quote.mint}',
    tokenQuoteDecimal: ${quote.decimals},
    initialMarketCap: ${form.initial || 0},
    migrationMarketCap: ${form.migration || 0},
    lockedVestingParam: noVesting,
  },
  antiSniping: false,
  fee: { feeBps: 100 },
});`;
