import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import type { Area } from '../area.js';
import { claimFees } from './claim-fees.js';
import { createPool } from './create-pool.js';
import { AREA, type StudioDeps } from './deps.js';
import { studioError } from './error-shape.js';
import { showFees } from './fees.js';
import { acceptForm } from './multipart.js';
import {
  AddressesAnswer,
  ClaimAnswer,
  ClaimBody,
  CreatePoolAnswer,
  CreatePoolBody,
  FeeAnswer,
  FeeBody,
  MintParams,
  SubmitPoolAnswer,
  SubmitPoolBody,
} from './schema.js';
import { studioSettlement } from './settlement.js';
import { showAddresses } from './show-addresses.js';
import { submitPool } from './submit-pool.js';
import { requireUriRoom } from './uri-room.js';

export type { StudioDeps } from './deps.js';

export const studioArea: Area = {
  name: AREA,
  tag: 'Studio',
  errorShape: studioError,
  settlement: () => ({ [AREA]: studioSettlement }),
  register(server, { config, clock, store, ledger, chain, landing, objects, signer }) {
    const { platform, usdc } = config.tokens;
    registerStudio(server, {
      clock,
      store,
      chain,
      landing,
      objects,
      signer,
      remember: ledger.remember,
      findRequest: ledger.findRequest,
      uploadMs: config.objects.urlSeconds * 1_000,
      operator: config.studio.feeClaimer ?? signer.address('gas'),
      mintSuffix: config.studio.mintSuffix,
      quotes: [{ symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 }, usdc, platform],
    });
  },
  check: ({ objects }) => requireUriRoom(objects),
};

const PREFIX = '/studio/v1';
const config = { errorShape: studioError, auth: 'key' } as const;
const tags = ['Studio'];

export function registerStudio(app: FastifyInstance, deps: StudioDeps): void {
  registerPools(app, deps);
  app.register(async (forms) => registerSubmit(forms, deps));
  registerFees(app, deps);
}

function registerPools(app: FastifyInstance, deps: StudioDeps): void {
  const crafted = { tags, summary: 'Craft the launch of a token' };
  app.post<{ Body: CreatePoolBody }>(
    `${PREFIX}/dbc-pool/create-tx`,
    { config, schema: { ...crafted, body: CreatePoolBody, response: { 200: CreatePoolAnswer } } },
    (request) => createPool(deps, request.body),
  );
  const shown = { tags, summary: 'Where the pools of a token are' };
  app.get<{ Params: MintParams }>(
    `${PREFIX}/dbc-pool/addresses/:mint`,
    { config, schema: { ...shown, params: MintParams, response: { 200: AddressesAnswer } } },
    (request) => showAddresses(deps, request.params),
  );
}

function registerSubmit(app: FastifyInstance, deps: StudioDeps): void {
  acceptForm(app, 'headerImage', deps.objects.maxImageBytes);
  const landed = { tags, summary: 'Land a signed launch', consumes: ['multipart/form-data'] };
  app.post<{ Body: SubmitPoolBody }>(
    `${PREFIX}/dbc-pool/submit`,
    {
      config: { ...config, bucket: 'execute' },
      schema: { ...landed, body: SubmitPoolBody, response: { 200: SubmitPoolAnswer } },
    },
    (request) => submitPool(deps, request.body, request.formFile),
  );
}

function registerFees(app: FastifyInstance, deps: StudioDeps): void {
  const shown = { tags, summary: "A creator's trading fees" };
  app.post<{ Body: FeeBody }>(
    `${PREFIX}/dbc/fee`,
    { config, schema: { ...shown, body: FeeBody, response: { 200: FeeAnswer } } },
    (request) => showFees(deps, request.body),
  );
  const crafted = { tags, summary: "Craft the claim of a creator's trading fees" };
  app.post<{ Body: ClaimBody }>(
    `${PREFIX}/dbc/fee/create-tx`,
    { config, schema: { ...crafted, body: ClaimBody, response: { 200: ClaimAnswer } } },
    (request) => claimFees(deps, request.body),
  );
}
