import { Fragment, useState } from 'react';
import { plainName } from '../lib/format.js';
import { Copied, Panel, Scroll } from '../ui/parts.js';
import { Deed, shellWord } from './deed.js';
import { act } from './session.js';
import { MOST_ROWS, momentText, Table, useAdmin } from './table.js';

interface Verification {
  id: string;
  tokenId: string;
  kind: string;
  state: string;
  payer: string;
  twitterHandle: string | null;
  senderTwitterHandle: string | null;
  description: string | null;
  /** What the token is to be described by. */
  metadata: Readonly<Record<string, unknown>> | null;
  paymentCurrency: string;
  paidAt: string | null;
  note: string | null;
}
const STATES = ['pending', 'approved', 'rejected', 'reserved'] as const;

/** Paid requests, which wait for a decision. */
export function Verifications() {
  const [state, setState] = useState<string>('pending');
  const path = `/verifications?state=${state}&limit=${MOST_ROWS}`;
  const { data, error } = useAdmin<{ verifications: Verification[]; nextCursor: string | null }>('verifications', path);
  return (
    <Panel
      title="Verification requests"
      aside={
        <label className="flex items-center gap-2">
          <span className="label whitespace-nowrap">In the state</span>
          <select className="field w-auto" value={state} onChange={({ target }) => setState(target.value)}>
            {STATES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      }
    >
      <Table
        name="Verification requests"
        headings={['Token', 'Kind', 'Payer', 'Paid', 'Says', 'Decide']}
        rows={data?.verifications}
        more={
          data?.nextCursor &&
          `These are the newest ${MOST_ROWS}. Older ones: slipway verifications list --state ${state} --cursor ${data.nextCursor}`
        }
        error={error}
        keyOf={({ id }) => id}
        none={state === 'pending' ? 'Nothing waits for a decision.' : 'None.'}
        cells={(row) => [
          <Copied key="token" text={row.tokenId} what="the mint" />,
          row.kind,
          <Copied key="payer" text={row.payer} what="the payer" />,
          `${momentText(row.paidAt)} in ${row.paymentCurrency}`,
          <div key="says" className="max-w-80 [overflow-wrap:anywhere]">
            {row.note && <bdi className="block font-semibold">{plainName(row.note, 1_000)}</bdi>}
            <bdi>
              {plainName(
                textsOf(row)
                  .map((each) => each.join(': '))
                  .join(' · '),
                300,
              )}
            </bdi>
          </div>,
          row.state === 'pending' ? (
            <span key="decide" className="flex gap-2">
              <Decide row={row} verb="approve" />
              <Decide row={row} verb="reject" />
            </span>
          ) : (
            row.state
          ),
        ]}
      />
    </Panel>
  );
}

/** What a request may describe a token by. */
const FIELDS = [
  ...['name', 'symbol', 'icon', 'tokenDescription', 'website', 'twitter', 'twitterCommunity', 'telegram', 'discord'],
  ...['instagram', 'tiktok', 'otherUrl', 'coingeckoCoinId', 'useCoingeckoCoinId', 'circulatingSupply'],
  ...['useCirculatingSupply', 'circulatingSupplyUrl', 'useCirculatingSupplyUrl'],
] as const;

/** All that a request says, each with its name. */
const textsOf = ({ twitterHandle, senderTwitterHandle, description, metadata }: Verification) =>
  [
    ['handle', twitterHandle] as const,
    ['handle of the sender', senderTwitterHandle] as const,
    ['description', description] as const,
    ...FIELDS.map((field) => [field, metadata?.[field]] as const),
  ].flatMap(([name, text]) => (text === undefined || text === null || text === '' ? [] : [[name, String(text)]]));

function Texts({ of }: { of: Verification }) {
  return (
    <Scroll name="What the request says" className="max-h-[40dvh] rounded border border-line px-3 py-2">
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-1 [overflow-wrap:anywhere]">
        {textsOf(of).map(([name = '', text = '']) => (
          <Fragment key={name}>
            <dt className="text-soft">{name}</dt>
            <dd>
              <bdi>{plainName(text, Number.POSITIVE_INFINITY)}</bdi>
            </dd>
          </Fragment>
        ))}
      </dl>
    </Scroll>
  );
}

const APPROVED: Readonly<Record<string, string>> = {
  verification: 'approved: the token counts as verified',
  metadata: 'approved, and its payer hears that. This service shows nothing of it by itself',
};

function Decide({ row, verb }: { row: Verification; verb: 'approve' | 'reject' }) {
  const { id, kind, tokenId } = row;
  return (
    <Deed
      name={verb === 'approve' ? 'Approve' : 'Reject'}
      says={
        <>
          The {kind} of <span className="font-mono text-xs">{tokenId}</span> is{' '}
          {verb === 'approve' ? APPROVED[kind] : 'rejected: what was paid is kept'}.
        </>
      }
      shows={() => <Texts of={row} />}
      field="A note, kept with the decision"
      command={(note) =>
        `slipway verifications ${verb} ${shellWord(id)}${note === '' ? '' : ` --note ${shellWord(note)}`}`
      }
      changes="verifications"
      run={(note) => act('POST', `/verifications/${encodeURIComponent(id)}/${verb}`, note === '' ? {} : { note })}
    />
  );
}
