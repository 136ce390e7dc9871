export {
  createInviteKeeper,
  EXPIRIES_AN_HOUR,
  INVITE_AREA,
  type InviteKeeper,
  type InviteKeeperDeps,
  startInviteKeeper,
} from './keeper.js';
