// Written by "npm run client-types" from the OpenAPI document. The admin API is not the client's.

export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process runs
         * @description For a supervisor: answers as long as the process does.
         */
        get: operations["getLivez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The service can serve
         * @description For a load balancer: 503 while something is missing that requests need.
         */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quote a swap, with the transaction for a taker
         * @description Asks all routers and answers the best quote. With a `taker`, sign `transaction` and post it to `execute`.
         */
        get: operations["getUltraV1Order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a signed order
         * @description Post the signed `transaction` of an order with its `requestId`. The same post gets the same answer, also when it comes later; it never lands twice.
         */
        post: operations["postUltraV1Execute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/order/routers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The routers that are asked
         * @description Their ids can be given to `excludeRouters`.
         */
        get: operations["getUltraV1OrderRouters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/shield": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a buyer of these mints should know
         * @description Warnings about each mint, from the chain and from what the operator has verified.
         */
        get: operations["getUltraV1Shield"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens by symbol, name or mint
         * @description Tokens of the operator come first, then launched ones, which are found by the beginning of their symbol or name. A mint is found whatever it is called.
         */
        get: operations["getUltraV1Search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/v2/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens by symbol, name or mint
         * @description Tokens of the operator come first, then launched ones, which are found by the beginning of their symbol or name. A mint is found whatever it is called.
         */
        get: operations["getTokensV2Search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/holdings/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a wallet holds
         * @description Account by account. SOL stands beside the tokens. A wallet of more than 2,000 token accounts comes page by page: pass `next` as `after`. Each further 200 accounts that the wallet has count as a call.
         */
        get: operations["getUltraV1HoldingsAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/holdings/{address}/native": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The SOL of a wallet
         * @description The lamports of the wallet, without wrapped SOL.
         */
        get: operations["getUltraV1HoldingsAddressNative"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/balances/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a wallet holds, by mint; superseded by holdings
         * @deprecated
         * @description All token accounts of a mint are added up. Each further 200 accounts that the wallet has count as a call.
         */
        get: operations["getUltraV1BalancesAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/transfer/craft-native": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Craft a transfer of SOL
         * @description Sign `transaction` and post it to `transfer/execute`.
         */
        get: operations["getUltraV1TransferCraftNative"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/transfer/craft-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Craft a transfer of tokens
         * @description Sign `transaction` and post it to `transfer/execute`.
         */
        get: operations["getUltraV1TransferCraftToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/reclaim/craft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the closing of empty token accounts
         * @description Only empty accounts are closed, at most 200 at a time. Their rent goes to the owner. Each transaction counts as a call, and so do each further 200 token accounts that the owner has.
         */
        post: operations["postUltraV1ReclaimCraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/transfer/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a signed transfer
         * @description Post it again for the same answer. 400 means that nothing was sent; after any other error, post it again.
         */
        post: operations["postUltraV1TransferExecute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ultra/v1/reclaim/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a signed closing of token accounts
         * @description Post it again for the same answer. 400 means that nothing was sent; after any other error, post it again.
         */
        post: operations["postUltraV1ReclaimExecute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v1/createOrder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a limit order (unsigned)
         * @description The order holds the input on the chain until a keeper fills it or the maker cancels it. Sign `transaction` and post it to `execute`.
         */
        post: operations["postTriggerV1CreateOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v1/cancelOrder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the cancelling of a limit order
         * @description The maker gets back what the order holds. Sign `transaction` and post it to `execute`.
         */
        post: operations["postTriggerV1CancelOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v1/cancelOrders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the cancelling of several limit orders
         * @description Up to five orders a transaction, up to 50 orders. Execute each transaction under the same `requestId`. Each transaction counts as a call; where no order is named, the call counts as ten.
         */
        post: operations["postTriggerV1CancelOrders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v1/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a signed transaction
         * @description Lands what `createOrder`, `cancelOrder` or `cancelOrders` crafted. The same post gets the same answer.
         */
        post: operations["postTriggerV1Execute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v1/getTriggerOrders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A wallet's limit orders and their fills
         * @description Read from the chain, 10 a page. Of a wallet with 10,000 open orders, or as many others, each further 10,000 count as a call. Those that changed last are listed, up to 300,000.
         */
        get: operations["getTriggerV1GetTriggerOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/auth/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a login challenge for a wallet to sign
         * @description Sign `challenge` as a message, or `transaction`, and post the signature to `verify`. It lives five minutes.
         */
        post: operations["postTriggerV2AuthChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in with what was signed
         * @description The token is for the header `Authorization: Bearer`. It lives 24 hours and can never move funds by itself.
         */
        post: operations["postTriggerV2AuthVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all logins of the wallet
         * @description Every token of the wallet, this one and those of other devices, is refused in every copy of the service within a second, and its event streams end.
         */
        post: operations["postTriggerV2AuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/vault": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The vault of the wallet
         * @description The account that holds the deposits of the wallet's orders.
         */
        get: operations["getTriggerV2Vault"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/vault/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Make the vault of the wallet
         * @description Once for each wallet.
         */
        get: operations["getTriggerV2VaultRegister"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/deposit/craft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the deposit that pays for an order
         * @description Sign `transaction`, but do not send it: post it with the order.
         */
        post: operations["postTriggerV2DepositCraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an order, and land its signed deposit
         * @description Lands the signed deposit and creates the order. Nothing moves if the order is refused. The same body gets the same order.
         */
        post: operations["postTriggerV2OrdersPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/price/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the terms of an open order
         * @description Only while the order is `open`. Fields that are left out stay as they are. What lets the order lose more than the operator allows a login alone is refused with 403: sign the text of `details.sign` with the wallet, and send the same with `signature` and `signedAt`.
         */
        patch: operations["patchTriggerV2OrdersPriceOrderId"];
        trace?: never;
    };
    "/trigger/v2/orders/price/cancel/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an order, and craft the withdrawal of its funds
         * @description The order is not filled any more. While a fill is under way, this is 400 with `Retry-After`, and is remembered. Sign `transaction` and post it to `confirm-cancel`. This is also how the funds of an expired order come back, a deposit that was called lost and has landed, and what a withdrawal has not brought that was called landed.
         */
        post: operations["postTriggerV2OrdersPriceCancelOrderId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/price/confirm-cancel/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land the signed withdrawal of a cancelled order
         * @description Lands the withdrawal. The order stays as it is until that has landed, and `pending_withdraw` where only a part has come home: cancel it again for the rest.
         */
        post: operations["postTriggerV2OrdersPriceConfirmCancelOrderId"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The orders of the wallet
         * @description The newest change first, or as `sort` and `dir` say. With `id`, that order alone. Of more than ten orders, each comes with fewer of its events: 1,000 together.
         */
        get: operations["getTriggerV2OrdersHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/history/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One order of the wallet
         * @description With the newest 100 events that have happened to it.
         */
        get: operations["getTriggerV2OrdersHistoryOrderId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trigger/v2/orders/history/{orderId}/explanation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say why an order of the wallet has fired or not
         * @description Its triggers, the price that the service sees now, and what the order waits for.
         */
        get: operations["getTriggerV2OrdersHistoryOrderIdExplanation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/studio/v1/dbc-pool/create-tx": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the launch of a token
         * @description Upload image and metadata to the presigned URLs, sign `transaction` as the creator, and post it to `dbc-pool/submit`.
         */
        post: operations["postStudioV1DbcPoolCreateTx"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/studio/v1/dbc-pool/addresses/{mint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the pools of a token are
         * @description The bonding curve pool, the pool that it has migrated to, and its configuration.
         */
        get: operations["getStudioV1DbcPoolAddressesMint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/studio/v1/dbc/fee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A creator's trading fees
         * @description In the smallest unit of the quote token.
         */
        post: operations["postStudioV1DbcFee"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/studio/v1/dbc/fee/create-tx": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the claim of a creator's trading fees
         * @description Sign the transaction and send it yourself. It claims at most `maxQuoteAmount`.
         */
        post: operations["postStudioV1DbcFeeCreateTx"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/craft-send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft an invite: SOL or tokens for whoever gets the code
         * @description Send it, signed, with POST /tx/v1/submit or to any RPC.
         */
        post: operations["postSendV1CraftSend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/craft-clawback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the taking back of an invite
         * @description Send it, signed, with POST /tx/v1/submit or to any RPC.
         */
        post: operations["postSendV1CraftClawback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/craft-claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Craft the claim of an invite
         * @description Sign `tx` with the key of the invite, and post it to `execute-claim` with the `requestId`.
         */
        post: operations["postSendV1CraftClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/execute-claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a claim that the key of the invite has signed
         * @description Adds the signature of the service's keeper, who pays the fee, and lands it. Post it again for the same answer.
         */
        post: operations["postSendV1ExecuteClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/pending-invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open invites of a sender, the newest first
         * @description Invites that can still be claimed, 10 a page.
         */
        get: operations["getSendV1PendingInvites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/send/v1/invite-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invites that were claimed, taken back or have expired, of their sender or receiver
         * @description 10 a page, the newest first. A row may appear again on a later page while new ones arrive; none is skipped.
         */
        get: operations["getSendV1InviteHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tx/v1/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a fully signed transaction
         * @description Answered as soon as one way of sending has accepted it. The service sends it again, less and less often, until it lands or can never land, one with a durable nonce for five minutes; what fails as the chain is now is sent again only once it would succeed. A transaction whose fee payer cannot pay the fee is refused. Each three signatures count as a call.
         */
        post: operations["postTxV1Submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tx/v1/status/{signature}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What has become of a transaction
         * @description Of a transaction that was posted to `submit`.
         */
        get: operations["getTxV1StatusSignature"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/v2/verify/express/craft-txn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Craft the payment of a verification
         * @description Sign `transaction` and post it to `execute` with the `requestId`. With a `code` other than 0, `transaction` is empty and `error` says why.
         */
        get: operations["getTokensV2VerifyExpressCraftTxn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/v2/verify/express/check-eligibility": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What may be requested for a token
         * @description If both `canVerify` and `canMetadata` are false, `execute` refuses before anything is paid.
         */
        get: operations["getTokensV2VerifyExpressCheckEligibility"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/v2/verify/express/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land the signed payment and record the request
         * @description Lands the payment at most once, and records the request with it. The same post gets the same answer, also when it comes later.
         */
        post: operations["postTokensV2VerifyExpressExecute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prediction/v1/events/{eventId}/score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The latest score of an event
         * @description The answer is null if nothing is known of the event.
         */
        get: operations["getPredictionV1EventsEventIdScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/prediction/v1/events/scores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The latest scores of up to 100 events
         * @description In the order of the question. Events of which nothing is known are left out.
         */
        get: operations["getPredictionV1EventsScores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens, as it happens
         * @description Server-sent events: what becomes of the requests of your key or, with the token of a login, of everything about that wallet. Each event comes exactly once and in the order of its number to a client that sends the last number as `Last-Event-ID` when it connects again. The service ends a stream after 15 minutes, when it stops, and when its client reads too slowly.
         */
        get: operations["getEventsV1Stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your webhooks
         * @description Those of your key or, with the token of a login, of that wallet.
         */
        get: operations["getEventsV1Webhooks"];
        put?: never;
        /**
         * Have events posted to a URL
         * @description The events of your key or, with the token of a login, of that wallet, from now on. Each is signed by the Standard Webhooks specification. Whatever answers other than 2xx within 10 seconds is sent again for 24 hours, then it waits for `redeliver`. The same event may come twice: its number tells.
         */
        post: operations["postEventsV1Webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description With what has not arrived yet.
         */
        delete: operations["deleteEventsV1WebhooksId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description For 24 hours messages are signed with the old one, too.
         */
        post: operations["postEventsV1WebhooksIdRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook
         * @description An event of the kind `test` with the number 0, signed as others. The answer says what became of it.
         */
        post: operations["postEventsV1WebhooksIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of the latest attempts
         * @description And which events were given up. `redeliver` sends those again.
         */
        get: operations["getEventsV1WebhooksIdAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/v1/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events to a webhook again
         * @description One event that is still kept, or all that were given up. Each further 100 events count as a call.
         */
        post: operations["postEventsV1WebhooksIdRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wallets, mints and addresses
         * @description Everything that a program needs to use this sandbox, the secret keys of its wallets included.
         */
        get: operations["getSandboxInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/airdrop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fund a wallet
         * @description Gives a wallet SOL, or tokens of any mint of the sandbox. Answered when it is confirmed.
         */
        post: operations["postSandboxAirdrop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a price
         * @description Pools and market makers follow before the answer; trigger orders see the new price after that.
         */
        post: operations["postSandboxPrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move time forward
         * @description Blockhashes, challenges, tokens and orders expire as they would. Answered when the work that is then due has run.
         */
        post: operations["postSandboxClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pools that swaps are routed over
         * @description The deepest first, with what can be traded and at which price; those that nobody can trade with now come last, with the reason.
         */
        get: operations["getSandboxPools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/studio/v1/dbc-pool/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Land a signed launch
         * @description Adds the signatures of mint and configuration, lands the launch, and publishes what was uploaded for it. The same post gets the same answer.
         */
        post: operations["postStudioV1DbcPoolSubmit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        GatewayError: {
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code: number;
            /** @description In words for people */
            message: string;
            /** @description Of 429: the limit that was hit */
            limit?: {
                /**
                 * @description execute: paths that execute or submit. main: all others
                 * @enum {unknown}
                 */
                bucket: "main" | "execute";
                /** @description The most in the window */
                requests: number;
                /** @description Over how many seconds it is counted */
                windowSeconds: number;
                /** @description When the next request can pass, as the header Retry-After */
                retryAfterSeconds: number;
            };
        };
        PlainError: {
            /** @description In words for people */
            error: string;
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code?: number;
        };
        SwapOrder: {
            /**
             * @description Whether parameters left the service less choice: manual, or ultra where they did not
             * @enum {string}
             */
            mode: "ultra" | "manual";
            /**
             * @description Always ExactIn: the amount is what goes in
             * @enum {string}
             */
            swapMode: "ExactIn";
            /** @description The mint of what goes in */
            inputMint: string;
            /** @description The mint of what comes out */
            outputMint: string;
            /** @description Leaves the taker, a fee on the input included */
            inAmount: string;
            /** @description Arrives, after a fee on the output */
            outAmount: string;
            /** @description The least that arrives */
            otherAmountThreshold: string;
            /** @description What goes in is worth, in USD */
            inUsdValue?: number;
            /** @description What comes out is worth, in USD */
            outUsdValue?: number;
            /** @description What is swapped is worth, in USD */
            swapUsdValue?: number;
            /** @description Loss by moving the market, in percent */
            priceImpact: number;
            /** @description The same as a ratio; deprecated */
            priceImpactPct: string;
            /** @description How much less than quoted may come out, in basis points */
            slippageBps: number;
            /** @description Each trade of the route */
            routePlan: {
                /** @description What one venue trades */
                swapInfo: {
                    /** @description The account of the pool, or the market maker */
                    ammKey: string;
                    /** @description The name of the venue */
                    label: string;
                    /** @description The mint of what goes in */
                    inputMint: string;
                    /** @description The mint of what comes out */
                    outputMint: string;
                    /** @description What goes in, in the smallest unit */
                    inAmount: string;
                    /** @description What comes out, in the smallest unit */
                    outAmount: string;
                    /** @description What of inAmount the venue keeps as its fee */
                    feeAmount: string;
                    /** @description The hop’s input */
                    feeMint: string;
                };
                /** @description Its share of what goes in at this step, in percent */
                percent: number;
                /** @description Its share of what goes in at this step, in basis points */
                bps: number;
                /** @description What is traded is worth, in USD */
                usdValue?: number;
            }[];
            /** @description The account that the fee of an integrator goes to */
            referralAccount?: string;
            /** @description The mint that the fee is in */
            feeMint: string;
            /** @description All that is taken, gas that is paid for the taker included */
            feeBps: number;
            /** @description What the service takes of the trade */
            platformFee: {
                /** @description In the smallest unit */
                amount: string;
                /** @description In basis points */
                feeBps: number;
                /** @description The mint that the fee is in */
                feeMint: string;
            };
            /** @description What the network takes for signatures, in lamports */
            signatureFeeLamports: number;
            /** @description Null without a transaction */
            signatureFeePayer: string | null;
            /** @description Priority fee and tip */
            prioritizationFeeLamports: number;
            /** @description Null without a transaction */
            prioritizationFeePayer: string | null;
            /** @description Rent that stays in new accounts */
            rentFeeLamports: number;
            /** @description Null without a transaction */
            rentFeePayer: string | null;
            /**
             * @description aggregator: over pools; rfq: by a market maker
             * @enum {string}
             */
            swapType: "aggregator" | "rfq";
            /**
             * @description Who found the route
             * @enum {string}
             */
            router: "metis" | "jupiterz" | "dflow" | "okx";
            /** @description Base64, unsigned; null without a taker, empty when errorCode says why */
            transaction: string | null;
            /** @description Somebody else than the taker pays the network fee */
            gasless: boolean;
            /** @description Names the crafted transaction: goes back with it signed */
            requestId: string;
            /** @description Milliseconds */
            totalTime: number;
            /** @description Null for a quote only */
            taker: string | null;
            /** @description Names the quote of the market maker */
            quoteId?: string;
            /** @description The market maker who trades */
            maker?: string;
            /** @description Unix seconds: signed by then, it is still given to the market maker */
            expireAt?: string;
            /** @description Beyond this height of the chain it cannot land any more */
            lastValidBlockHeight?: string;
            /** @description 1: not enough of the input. 2: not enough SOL for fees and rent. 3: too small a trade for gasless; of a market maker: the quote could not be made a transaction */
            errorCode?: number;
            /** @description Why there is no transaction to sign */
            errorMessage?: string;
            /** @description The same text */
            error?: string;
        };
        SwapExecution: {
            /**
             * @description Where it stands, or how it ended
             * @enum {string}
             */
            status: "Success" | "Failed";
            /** @description 0: landed. Above 0: the error of a program, 6001 being slippage. -1000 to -1999: could not land. -2000 to -2999: the market maker */
            code: number;
            /** @description Of the transaction, in base58 */
            signature?: string;
            /** @description 0 where it has not landed */
            slot: string;
            /** @description In words for people */
            error?: string;
            /** @description What left the taker's wallet */
            totalInputAmount?: string;
            /** @description What the receiver got; of SOL by a program of another company less the rents that it took of the taker's wallet, so that it may be below 0 */
            totalOutputAmount?: string;
            /** @description What was swapped, without a fee on the input */
            inputAmountResult?: string;
            /** @description What came out, before a fee on the output */
            outputAmountResult?: string;
            /** @description What was swapped, as the chain says it */
            swapEvents?: {
                /** @description The mint of what goes in */
                inputMint: string;
                /** @description In the smallest unit */
                inputAmount: string;
                /** @description The mint of what comes out */
                outputMint: string;
                /** @description What came out, in the smallest unit; null: nothing yet */
                outputAmount: string;
            }[];
        };
        Routers: {
            /** @description Names it in other calls */
            id: string;
            /** @description As people call it */
            name: string;
        }[];
        ShieldWarnings: {
            /** @description Of every mint that was asked about */
            warnings: {
                [key: string]: {
                    /** @description NOT_VERIFIED, NOT_SELLABLE, HAS_MINT_AUTHORITY, HAS_FREEZE_AUTHORITY, HAS_PERMANENT_DELEGATE, NON_TRANSFERABLE, MUTABLE_TRANSFER_FEES, or the fee in force as `1.5%_TRANSFER_FEES` */
                    type: string;
                    /** @description In words for people */
                    message: string;
                    /**
                     * @description How bad it is: info, warning or critical
                     * @enum {string}
                     */
                    severity: "info" | "warning" | "critical";
                }[];
            };
        };
        MintInformationList: {
            /** @description The mint */
            id: string;
            /** @description Empty when neither the token list nor the chain has one */
            name: string;
            /** @description Empty when neither the token list nor the chain has one */
            symbol: string;
            /** @description URL */
            icon?: string;
            /** @description Digits after the point: a whole token is ten to the power of this in the smallest unit */
            decimals: number;
            /** @description The program that the mint belongs to */
            tokenProgram: string;
            /** @description Left out when nobody can mint more */
            mintAuthority?: string;
            /** @description Left out when nobody can freeze token accounts */
            freezeAuthority?: string;
            /** @description Whole tokens. All of the supply counts as circulating; left out for SOL */
            circSupply?: number;
            /** @description Whole tokens. All of the supply counts as circulating; left out for SOL */
            totalSupply?: number;
            /** @description USD; left out where no price is known */
            usdPrice?: number;
            /** @description USD; left out where no price is known */
            fdv?: number;
            /** @description USD; left out where no price is known */
            mcap?: number;
            /** @description What the mint still allows */
            audit: {
                /** @description Whether nobody can make more of it */
                mintAuthorityDisabled: boolean;
                /** @description Whether nobody can freeze token accounts */
                freezeAuthorityDisabled: boolean;
            };
            /** @description Whether it is in the operator's token list, or its verification was approved */
            isVerified: boolean;
            /** @description Such as verified */
            tags: string[];
        }[];
        Holdings: {
            /** @description Lamports */
            amount: string;
            /** @description SOL */
            uiAmount: number;
            /** @description SOL, exactly */
            uiAmountString: string;
            /** @description By mint; wrapped SOL is among them and not in the amounts above */
            tokens: {
                [key: string]: {
                    /** @description The token account */
                    account: string;
                    /** @description In the smallest unit */
                    amount: string;
                    /** @description In whole tokens */
                    uiAmount: number;
                    /** @description In whole tokens, exactly */
                    uiAmountString: string;
                    /** @description Whether its tokens cannot be moved */
                    isFrozen: boolean;
                    /** @description Whether it is where others look for tokens of this mint first */
                    isAssociatedTokenAccount: boolean;
                    /** @description Digits after the point: a whole token is ten to the power of this in the smallest unit */
                    decimals: number;
                    /** @description The token program */
                    programId: string;
                    /** @description Of the token account: its rent, and wrapped SOL */
                    lamports: string;
                    /** @description What its owner gets by closing it, if it is empty and the owner can close it */
                    reclaimableLamports?: string;
                }[];
            };
            /** @description Where the next page begins; left out on the last one */
            next?: string;
        };
        NativeHoldings: {
            /** @description Lamports */
            amount: string;
            /** @description SOL */
            uiAmount: number;
            /** @description SOL, exactly */
            uiAmountString: string;
        };
        /** @description By mint, or `SOL` */
        Balances: {
            [key: string]: {
                /** @description In the smallest unit, of all token accounts of the mint */
                amount: string;
                /** @description In whole tokens */
                uiAmount: number;
                /** @description At which this was so */
                slot: number;
                /** @description True when any of the accounts is */
                isFrozen: boolean;
            };
        };
        CraftedTransfer: {
            /** @description For execute */
            requestId: string;
            /** @description Base64, unsigned: the sender signs */
            transaction: string;
            /**
             * Format: date-time
             * @description About when it can no longer land
             */
            expireAt: string;
            /** @description The network fee, in lamports */
            feeAmount: number;
            /** @description What the fee is worth, in USD */
            feeUsdAmount?: number;
            /** @description What the sender pays for the receiver's token account, if it is created */
            rentFeeLamports?: number;
        };
        CraftedReclaim: {
            /** @description Each closes up to 25 token accounts and can land without the others */
            transactions: {
                /** @description For execute */
                requestId: string;
                /** @description Base64, unsigned: the owner signs */
                transaction: string;
            }[];
            /** @description 0: ready to sign. 2: not enough SOL for the network fees */
            code: number;
            /** @description Set if code is not 0 */
            error?: string;
            /** @description Lamports: the rents of the accounts that are closed */
            totalLamportsReclaimed: string;
            /** @description Lamports: the rents without the fees */
            netLamportsReclaimed: string;
            /** @description What the wallet gets after all costs, in USD */
            netReclaimedUsdAmount?: number;
            /** @description Lamports: 0; this service takes no fee */
            serviceFeeLamports: string;
            /** @description What the service takes, in USD */
            serviceFeeUsdAmount?: number;
            /** @description Lamports: the network fees of all transactions */
            gasCostLamports: string;
            /** @description What the network costs, in USD */
            gasCostUsdAmount?: number;
            /** @description Which are left out, and why */
            skippedMints?: {
                /** @description In base58 */
                mint: string;
                /**
                 * @description Why no account of the mint is closed. notHeld: there is none. nonempty: it holds tokens. frozen: by the freeze authority. closeAuthority: only somebody else may close it. withheld: it holds transfer fees or confidential balances. refused: its token program refuses to close it
                 * @enum {string}
                 */
                reason: "notHeld" | "nonempty" | "frozen" | "closeAuthority" | "withheld" | "refused";
            }[];
            /** @description Milliseconds */
            totalTime: number;
            /**
             * Format: date-time
             * @description About when they can no longer land
             */
            expireAt: string;
        };
        TransferExecution: {
            /**
             * @description Where it stands, or how it ended
             * @enum {string}
             */
            status: "Success" | "Failed";
            /** @description Of the transaction, in base58 */
            signature: string;
            /** @description 0: landed. Above 0: the error of a program. Below 0: could not land */
            code: number;
            /** @description Set if code is not 0 */
            error?: string;
            /** @description Milliseconds from sending to the outcome */
            totalTime: number;
        };
        CreatedOrder: {
            /** @description Names the crafted transaction: goes back with it signed */
            requestId: string;
            /** @description Base64, unsigned */
            transaction: string;
            /** @description The order's account */
            order: string;
            /**
             * @description What went wrong, as a number or a word for programs; 0: nothing
             * @enum {number}
             */
            code: 0;
        };
        TriggerV1Error: {
            /** @description In words for people */
            error: string;
            /** @description What is wrong, in words for people */
            cause?: string;
            /** @description Of the transaction, in base58 */
            signature?: string;
            /**
             * @description Where it stands, or how it ended
             * @enum {string}
             */
            status?: "Failed";
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code: number;
        };
        CancelledOrder: {
            /** @description Names the crafted transaction: goes back with it signed */
            requestId: string;
            /** @description Base64, unsigned */
            transaction: string;
            /** @description The account of the order */
            order: string;
            /**
             * @description What went wrong, as a number or a word for programs; 0: nothing
             * @enum {number}
             */
            code: 0;
        };
        CancelledOrders: {
            /** @description Names the crafted transaction: goes back with it signed */
            requestId: string;
            /** @description Base64, unsigned; each is executed under the request id */
            transactions: string[];
            /** @description Orders that are in none of the transactions, and why; left out where there are none */
            skipped?: {
                /** @description The account of the order */
                order: string;
                /** @description What is wrong, in words for people */
                cause: string;
            }[];
            /**
             * @description What went wrong, as a number or a word for programs; 0: nothing
             * @enum {number}
             */
            code: 0;
        };
        ExecutedOrder: {
            /** @description Of the transaction, in base58 */
            signature: string;
            /**
             * @description Where it stands, or how it ended
             * @enum {string}
             */
            status: "Success";
            /** @description Left out where several orders were cancelled at once */
            order?: string;
            /**
             * @description What went wrong, as a number or a word for programs; 0: nothing
             * @enum {number}
             */
            code: 0;
        };
        TriggerOrders: {
            /** @description The wallet */
            user: string;
            /**
             * @description active: open; history: all others
             * @enum {string}
             */
            orderStatus: "active" | "history";
            /** @description Of this page */
            orders: {
                /** @description The wallet */
                userPubkey: string;
                /** @description The account of the order */
                orderKey: string;
                /** @description The mint of what goes in */
                inputMint: string;
                /** @description The mint of what comes out */
                outputMint: string;
                /** @description In whole tokens, as the amounts that do not begin with raw: those are left out where the node does not show the mint */
                makingAmount?: string;
                /** @description In whole tokens */
                takingAmount?: string;
                /** @description In whole tokens */
                remainingMakingAmount?: string;
                /** @description In whole tokens */
                remainingTakingAmount?: string;
                /** @description In the smallest unit */
                rawMakingAmount: string;
                /** @description In the smallest unit */
                rawTakingAmount: string;
                /** @description In the smallest unit */
                rawRemainingMakingAmount: string;
                /** @description In the smallest unit */
                rawRemainingTakingAmount: string;
                /** @description How much less than quoted may come out, in basis points */
                slippageBps: string;
                /** @description From when on it cannot be filled, ISO 8601; null: never */
                expiredAt: string | null;
                /** @description ISO 8601 */
                createdAt: string;
                /** @description ISO 8601 */
                updatedAt: string;
                /**
                 * @description Where it stands, or how it ended
                 * @enum {string}
                 */
                status: "Open" | "Completed" | "Cancelled" | "Expired" | "Failed" | "Closed";
                /** @description Empty where it is older than the history of the chain */
                openTx: string;
                /** @description Empty while it is open, or not known */
                closeTx: string;
                /** @description The program's address */
                programVersion: string;
                /** @description Each fill */
                trades: {
                    /** @description The account of the order */
                    orderKey: string;
                    /** @description Who has filled it */
                    keeper: string;
                    /** @description The mint of what goes in */
                    inputMint: string;
                    /** @description The mint of what comes out */
                    outputMint: string;
                    /** @description In whole tokens */
                    inputAmount?: string;
                    /** @description What the maker got */
                    outputAmount?: string;
                    /** @description In the smallest unit */
                    rawInputAmount: string;
                    /** @description In the smallest unit */
                    rawOutputAmount: string;
                    /** @description The mint that the fee is in */
                    feeMint: string;
                    /** @description What the keeper paid on top */
                    feeAmount?: string;
                    /** @description In the smallest unit */
                    rawFeeAmount: string;
                    /** @description The signature of the transaction */
                    txId: string;
                    /** @description When it landed, ISO 8601 */
                    confirmedAt: string;
                    /**
                     * @description What happened
                     * @enum {string}
                     */
                    action: "Fill";
                    /** @description Always null */
                    productMeta: null;
                }[];
            }[];
            /** @description How many pages there are */
            totalPages: number;
            /** @description From 1 on */
            page: number;
            /** @description Whether a further page has more */
            hasMoreData: boolean;
        };
        LoginChallenge: {
            /**
             * @description Which kind
             * @enum {string}
             */
            type: "message" | "transaction";
            /** @description Of the type message: the text to sign */
            challenge?: string;
            /** @description Of the type transaction: base64 of what to sign. It can never land on a chain */
            transaction?: string;
        };
        TriggerV2Error: {
            /** @description In words for people */
            error: string;
            /** @description What exactly is wrong */
            details?: {
                [key: string]: unknown;
            };
        };
        Login: {
            /** @description JWT (EdDSA) for the header Authorization: Bearer; lives 24 hours */
            token: string;
            /**
             * @description The token can edit and cancel, and never move funds
             * @enum {string}
             */
            authMode: "access_only";
        };
        Logout: {
            /**
             * @description No token from before is good any more
             * @enum {boolean}
             */
            loggedOut: true;
        };
        Vault: {
            /** @description The wallet */
            userPubkey: string;
            /** @description Receives the deposits of the wallet */
            vaultPubkey: string;
            /** @description The id of the vault */
            privyVaultId: string;
        };
        TriggerDeposit: {
            /** @description Base64 of the unsigned transaction */
            transaction: string;
            /** @description Names the deposit when the order is created */
            requestId: string;
            /** @description The vault */
            receiverAddress: string;
            /** @description In base58 */
            mint: string;
            /** @description Deposited, in the smallest unit */
            amount: string;
            /** @description Digits after the point of the mint */
            tokenDecimals: number;
            /** @description The token account of the order, owned by the vault */
            inputTokenAccount: string;
            /** @description Of otoco orders: where the entry is filled to */
            outputTokenAccount?: string;
        };
        TriggerOrderCreated: {
            /** @description Names it in other calls */
            id: string;
            /** @description Of the deposit */
            txSignature: string;
            /** @description Whether the deposit has landed */
            depositConfirmed: boolean;
            /** @description Only when the same body came before */
            message?: string;
        };
        TriggerOrderEdited: {
            /** @description Names it in other calls */
            id: string;
        };
        TriggerOrderCancel: {
            /** @description Names it in other calls */
            id: string;
            /** @description Base64 of the unsigned withdrawal */
            transaction: string;
            /** @description The cancelRequestId of the confirmation */
            requestId: string;
            /** @description What leaves the vault: not all of the order's, where its other token cannot leave now */
            withdrawn: {
                /** @description In base58 */
                mint: string;
                /** @description In the smallest unit */
                amount: string;
            }[];
        };
        TriggerOrderCancelled: {
            /** @description Names it in other calls */
            id: string;
            /** @description Of the transaction, in base58 */
            txSignature: string;
            /** @description What leaves the vault: not all of the order's, where its other token cannot leave now */
            withdrawn: {
                /** @description In base58 */
                mint: string;
                /** @description In the smallest unit */
                amount: string;
            }[];
            /** @description cancelled; or pending_withdraw where only a part has come home: cancel again for the rest */
            orderState: string;
        };
        /** @description A page of orders; with id, that order alone */
        TriggerHistory: {
            /** @description Of this page */
            orders: {
                /** @description Names it in other calls */
                id: string;
                /**
                 * @description single: one price; oco: take profit or stop loss; otoco: an entry, then both
                 * @enum {string}
                 */
                orderType: "single" | "oco" | "otoco";
                /** @description Where it stands, as clients show it */
                orderState: string;
                /** @description The state as the service keeps it: finer than orderState */
                rawState: string;
                /** @description The wallet */
                userPubkey: string;
                /** @description The vault */
                privyWalletPubkey: string;
                /** @description The mint of what goes in */
                inputMint: string;
                /** @description What was deposited, in the smallest unit */
                initialInputAmount: string;
                /** @description What is not sold yet, in the smallest unit */
                remainingInputAmount: string;
                /** @description The mint of what comes out */
                outputMint: string;
                /** @description The token whose price fires it */
                triggerMint: string;
                /**
                 * @description Whether it fires at the price and above, or at the price and below
                 * @enum {string}
                 */
                triggerCondition?: "above" | "below";
                /** @description USD for one whole token; of a trailing order: at which it fires now */
                triggerPriceUsd?: number;
                /** @description Basis points; left out where it is automatic */
                slippageBps?: number;
                /** @description Take profit: USD for one whole token */
                tpPriceUsd?: number;
                /** @description Stop loss: USD for one whole token */
                slPriceUsd?: number;
                /** @description Basis points; left out where it is automatic */
                tpSlippageBps?: number;
                /** @description Basis points; left out where it is automatic */
                slSlippageBps?: number;
                /** @description Unix milliseconds */
                expiresAt: number;
                /** @description Unix milliseconds */
                createdAt: number;
                /** @description Unix milliseconds */
                updatedAt: number;
                /** @description When it fired, unix milliseconds; null: it has not */
                triggeredAt: number | null;
                /** @description What came out, in the smallest unit; null: nothing yet */
                outputAmount: string | null;
                /** @description What was sold so far, in the smallest unit; null: nothing */
                inputUsed: string | null;
                /** @description 0 to 1 */
                fillPercent: number;
                /** @description How far the price it fires at stays behind the best price, in basis points; null: it is not trailing */
                trailingBps: number | null;
                /** @description The highest price since it was opened, in USD for one whole token; null: it is not trailing */
                highWatermark: number | null;
                /** @description The lowest price since it was opened, in USD for one whole token; null: it is not trailing */
                lowWatermark: number | null;
                /** @description The newest first */
                events: {
                    /** @description deposit, fill, withdrawal, cancelled or expired */
                    type: string;
                    /** @description Unix milliseconds */
                    timestamp: number;
                    /** @description success, failed or pending */
                    state: string;
                    /** @description Of the transaction, in base58 */
                    txSignature?: string;
                    /** @description In base58 */
                    mint?: string;
                    /** @description In the smallest unit */
                    amount?: string;
                    /** @description The mint of what comes out */
                    outputMint?: string;
                    /** @description What came out, in the smallest unit; null: nothing yet */
                    outputAmount?: string;
                    /** @description take_profit, stop_loss, buy_above or buy_below */
                    orderContext?: string;
                }[];
                /** @description There are older events, which are left out */
                hasMoreEvents?: boolean;
            }[];
            /** @description Which part of all of them this is */
            pagination: {
                /** @description How many there are on all pages */
                total: number;
                /** @description How many at most */
                limit: number;
                /** @description How many to leave out at the beginning */
                offset: number;
            };
        } | {
            /** @description Names it in other calls */
            id: string;
            /**
             * @description single: one price; oco: take profit or stop loss; otoco: an entry, then both
             * @enum {string}
             */
            orderType: "single" | "oco" | "otoco";
            /** @description Where it stands, as clients show it */
            orderState: string;
            /** @description The state as the service keeps it: finer than orderState */
            rawState: string;
            /** @description The wallet */
            userPubkey: string;
            /** @description The vault */
            privyWalletPubkey: string;
            /** @description The mint of what goes in */
            inputMint: string;
            /** @description What was deposited, in the smallest unit */
            initialInputAmount: string;
            /** @description What is not sold yet, in the smallest unit */
            remainingInputAmount: string;
            /** @description The mint of what comes out */
            outputMint: string;
            /** @description The token whose price fires it */
            triggerMint: string;
            /**
             * @description Whether it fires at the price and above, or at the price and below
             * @enum {string}
             */
            triggerCondition?: "above" | "below";
            /** @description USD for one whole token; of a trailing order: at which it fires now */
            triggerPriceUsd?: number;
            /** @description Basis points; left out where it is automatic */
            slippageBps?: number;
            /** @description Take profit: USD for one whole token */
            tpPriceUsd?: number;
            /** @description Stop loss: USD for one whole token */
            slPriceUsd?: number;
            /** @description Basis points; left out where it is automatic */
            tpSlippageBps?: number;
            /** @description Basis points; left out where it is automatic */
            slSlippageBps?: number;
            /** @description Unix milliseconds */
            expiresAt: number;
            /** @description Unix milliseconds */
            createdAt: number;
            /** @description Unix milliseconds */
            updatedAt: number;
            /** @description When it fired, unix milliseconds; null: it has not */
            triggeredAt: number | null;
            /** @description What came out, in the smallest unit; null: nothing yet */
            outputAmount: string | null;
            /** @description What was sold so far, in the smallest unit; null: nothing */
            inputUsed: string | null;
            /** @description 0 to 1 */
            fillPercent: number;
            /** @description How far the price it fires at stays behind the best price, in basis points; null: it is not trailing */
            trailingBps: number | null;
            /** @description The highest price since it was opened, in USD for one whole token; null: it is not trailing */
            highWatermark: number | null;
            /** @description The lowest price since it was opened, in USD for one whole token; null: it is not trailing */
            lowWatermark: number | null;
            /** @description The newest first */
            events: {
                /** @description deposit, fill, withdrawal, cancelled or expired */
                type: string;
                /** @description Unix milliseconds */
                timestamp: number;
                /** @description success, failed or pending */
                state: string;
                /** @description Of the transaction, in base58 */
                txSignature?: string;
                /** @description In base58 */
                mint?: string;
                /** @description In the smallest unit */
                amount?: string;
                /** @description The mint of what comes out */
                outputMint?: string;
                /** @description What came out, in the smallest unit; null: nothing yet */
                outputAmount?: string;
                /** @description take_profit, stop_loss, buy_above or buy_below */
                orderContext?: string;
            }[];
            /** @description There are older events, which are left out */
            hasMoreEvents?: boolean;
        };
        TriggerOrder: {
            /** @description Names it in other calls */
            id: string;
            /**
             * @description single: one price; oco: take profit or stop loss; otoco: an entry, then both
             * @enum {string}
             */
            orderType: "single" | "oco" | "otoco";
            /** @description Where it stands, as clients show it */
            orderState: string;
            /** @description The state as the service keeps it: finer than orderState */
            rawState: string;
            /** @description The wallet */
            userPubkey: string;
            /** @description The vault */
            privyWalletPubkey: string;
            /** @description The mint of what goes in */
            inputMint: string;
            /** @description What was deposited, in the smallest unit */
            initialInputAmount: string;
            /** @description What is not sold yet, in the smallest unit */
            remainingInputAmount: string;
            /** @description The mint of what comes out */
            outputMint: string;
            /** @description The token whose price fires it */
            triggerMint: string;
            /**
             * @description Whether it fires at the price and above, or at the price and below
             * @enum {string}
             */
            triggerCondition?: "above" | "below";
            /** @description USD for one whole token; of a trailing order: at which it fires now */
            triggerPriceUsd?: number;
            /** @description Basis points; left out where it is automatic */
            slippageBps?: number;
            /** @description Take profit: USD for one whole token */
            tpPriceUsd?: number;
            /** @description Stop loss: USD for one whole token */
            slPriceUsd?: number;
            /** @description Basis points; left out where it is automatic */
            tpSlippageBps?: number;
            /** @description Basis points; left out where it is automatic */
            slSlippageBps?: number;
            /** @description Unix milliseconds */
            expiresAt: number;
            /** @description Unix milliseconds */
            createdAt: number;
            /** @description Unix milliseconds */
            updatedAt: number;
            /** @description When it fired, unix milliseconds; null: it has not */
            triggeredAt: number | null;
            /** @description What came out, in the smallest unit; null: nothing yet */
            outputAmount: string | null;
            /** @description What was sold so far, in the smallest unit; null: nothing */
            inputUsed: string | null;
            /** @description 0 to 1 */
            fillPercent: number;
            /** @description How far the price it fires at stays behind the best price, in basis points; null: it is not trailing */
            trailingBps: number | null;
            /** @description The highest price since it was opened, in USD for one whole token; null: it is not trailing */
            highWatermark: number | null;
            /** @description The lowest price since it was opened, in USD for one whole token; null: it is not trailing */
            lowWatermark: number | null;
            /** @description The newest first */
            events: {
                /** @description deposit, fill, withdrawal, cancelled or expired */
                type: string;
                /** @description Unix milliseconds */
                timestamp: number;
                /** @description success, failed or pending */
                state: string;
                /** @description Of the transaction, in base58 */
                txSignature?: string;
                /** @description In base58 */
                mint?: string;
                /** @description In the smallest unit */
                amount?: string;
                /** @description The mint of what comes out */
                outputMint?: string;
                /** @description What came out, in the smallest unit; null: nothing yet */
                outputAmount?: string;
                /** @description take_profit, stop_loss, buy_above or buy_below */
                orderContext?: string;
            }[];
            /** @description There are older events, which are left out */
            hasMoreEvents?: boolean;
        };
        TriggerOrderExplanation: {
            /** @description Names it in other calls */
            id: string;
            /** @description The state as the service keeps it: finer than orderState */
            rawState: string;
            /** @description Why the order has fired or not, in sentences */
            reasons: string[];
        };
        PoolCreation: {
            /** @description Base64, to be signed by the creator and posted to dbc-pool/submit */
            transaction: string;
            /** @description In base58 */
            mint: string;
            /** @description PUT the image here, with tokenImageContentType as content-type */
            imagePresignedUrl: string;
            /** @description PUT the metadata here, as application/json */
            metadataPresignedUrl: string;
            /** @description Where the image is once the token is launched */
            imageUrl: string;
        };
        StudioError: {
            /** @description The fields of the request that are wrong, and why */
            errors?: {
                [key: string]: string[];
            };
            /** @description In words for people */
            error: string;
            /** @description What exactly is wrong */
            details?: string;
        };
        PoolAddresses: {
            /** @description Whether it was done */
            success: boolean;
            /** @description What is asked for */
            data: {
                /** @description The pool on the curve */
                dbcPoolAddress: string | null;
                /** @description Null until the pool has migrated */
                dammv2PoolAddress: string | null;
                /** @description The account of the terms of the curve */
                configKey: string | null;
                /** @description What the creator writes about the token */
                content?: string;
                /** @description The picture at the top of the page of the token */
                headerImageUrl?: string;
            };
        };
        PoolFees: {
            /** @description The creator's fees that can be claimed, in the quote's smallest unit */
            unclaimed: string;
            /** @description The creator's fees ever, in the quote's smallest unit */
            total: string;
        };
        FeeClaim: {
            /** @description Base64, to be signed by the owner and sent */
            transaction: string;
        };
        CraftedInvite: {
            /** @description Base64, unsigned: the sender and the key of the invite sign */
            tx: string;
            /**
             * Format: date-time
             * @description From when on it cannot be claimed any more
             */
            expiry: string;
            /** @description The network fee, and the rents, which come free when the invite ends */
            totalFeeLamports: string;
        };
        CraftedClawback: {
            /** @description Base64, unsigned: the sender signs */
            tx: string;
        };
        CraftedClaim: {
            /** @description Base64, unsigned: the key of the invite signs */
            tx: string;
            /** @description Post it to execute-claim with the signed transaction */
            requestId: string;
        };
        ExecutedClaim: {
            /** @description Of the transaction, which has landed */
            signature: string;
        };
        Invites: {
            /** @description The newest first */
            invites: {
                /** @description The public key of the invite */
                invite_signer: string;
                /** @description Its account */
                invite_pda: string;
                /** @description The wallet that made the invite */
                sender: string;
                /** @description Who has claimed it */
                receiver: string | null;
                /** @description ISO 8601; from when on it cannot be claimed any more */
                expiry: string;
                /** @description In the smallest unit */
                amount: string;
                /** @description The signature of the transaction that made it */
                creation_tx: string;
                /** @description The transaction that has ended it */
                deletion_tx: string | null;
                /** @description created: it is open. null: it has ended, in a transaction that the RPC cannot give */
                action: "created" | "claimed" | "clawed_back" | "expired" | null;
                /**
                 * Format: date-time
                 * @description ISO 8601
                 */
                creation_time: string;
                /** @description When it was claimed, taken back or expired, ISO 8601; null while it is open */
                deletion_time: string | null;
                /** @description null: SOL */
                mint: string | null;
                /** @description true: the chain has confirmed what is told here; nothing else is told */
                confirmed: boolean | null;
            }[];
            /** @description Whether a further page has more */
            hasMoreData: boolean;
        };
        SubmittedTransaction: {
            /** @description Of the transaction, in base58 */
            signature: string;
        };
        TransactionStatus: {
            /** @description Of the transaction, in base58 */
            signature: string;
            /**
             * @description expired: it has not landed and never will, unless `error` says that it may yet
             * @enum {string}
             */
            status: "pending" | "landed" | "failed" | "expired";
            /** @description Of the chain, in which it landed */
            slot: string | null;
            /** @description In words for people */
            error?: string;
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code?: number;
        };
        ExpressPayment: {
            /** @description Base64 of the unsigned transaction; empty when code is not 0 */
            transaction: string;
            /** @description Names the crafted transaction: goes back with it signed */
            requestId: string;
            /** @description The wallet that is paid */
            receiverAddress: string;
            /** @description In base58 */
            mint: string;
            /** @description Collected, in the smallest unit */
            amount: string;
            /** @description Digits after the point of the mint */
            tokenDecimals: number;
            /** @description USD for one whole token */
            tokenUsdRate?: number;
            /** @description The network fee */
            feeLamports: number;
            /** @description What the fee is worth, in USD */
            feeUsdAmount?: number;
            /** @description The mint that the fee is in */
            feeMint: string;
            /** @description Digits after the point of the mint that the fee is in */
            feeTokenDecimals: number;
            /** @description What the sender pays in fees, in the smallest unit of feeMint */
            feeAmount: number;
            /** @description Rent of the receiver's token account, when the payment must make it */
            rentFeeLamports?: number;
            /** @description Milliseconds */
            totalTime: number;
            /**
             * Format: date-time
             * @description Until when it can be executed, ISO 8601
             */
            expireAt?: string;
            /** @description Beyond this height of the chain it cannot land any more */
            lastValidBlockHeight?: string;
            /** @description In words for people */
            error?: string;
            /** @description 0: ready to sign. 1: not enough of the token. 2: not enough SOL for fees. 1001: the gas wallet is empty. 2004: the sender is not a wallet. 2017: the token account is frozen. 3000: the token account has another owner */
            code: number;
            /** @description Whether somebody else pays for the network */
            gasless: boolean;
            /** @description The mint of what goes in */
            inputMint?: string;
            /** @description Digits after the point of the mint that goes in */
            inputDecimals?: number;
            /** @description What leaves the wallet at the quoted price, in the smallest unit */
            quotedInputAmount?: string;
            /** @description The most that leaves the wallet, in the smallest unit */
            maxInputAmount?: string;
        };
        ExpressError: {
            /** @description Where it stands, or how it ended */
            status: number;
            /** @description In words for people */
            message: string;
            /** @description In words for people */
            error: string;
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code?: string;
        };
        ExpressEligibility: {
            /** @description Whether there is such a mint on the chain */
            tokenExists: boolean;
            /** @description Whether the token is verified already */
            isVerified: boolean;
            /** @description Whether a verification can be paid for now */
            canVerify: boolean;
            /** @description Whether metadata can be paid for now */
            canMetadata: boolean;
            /** @description Why a verification cannot be paid for */
            verificationError?: string;
            /** @description Why metadata cannot be paid for */
            metadataError?: string;
        };
        ExpressExecution: {
            /**
             * @description Where it stands, or how it ended
             * @enum {string}
             */
            status: "Success" | "Failed";
            /** @description Of the transaction, in base58 */
            signature?: string;
            /** @description In words for people */
            error?: string;
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code?: number;
            /** @description Milliseconds from sending to the final state */
            totalTime: number;
            /** @description Whether the verification waits for review */
            verificationCreated: boolean;
            /** @description Whether the metadata waits for review */
            metadataCreated: boolean;
        };
        GameScore: {
            /** @description The event at the prediction market */
            eventId: string;
            /** @description The game at the provider of scores */
            gameId: string;
            /** @description The game is in progress; a break in it counts */
            live: boolean;
            /** @description Whether the game is over */
            ended: boolean;
            /**
             * Format: date-time
             * @description When the game came to this state. Never goes back
             */
            updatedAt: string;
            /** @description Such as fifwc, nba, atp or cs2 */
            leagueAbbreviation: string | null;
            /** @description Name or abbreviation */
            homeTeam: string | null;
            /** @description Name or abbreviation */
            awayTeam: string | null;
            /** @description As the provider writes it: 2-0, 4-6, 1-2 or 000-000|2-0|Bo3 */
            score: string | null;
            /** @description As the provider writes it: 2H, HT, 4Q, S2, 2/3, FT */
            period: string | null;
            /** @description Time in the game or in the period, as the provider writes it: 90 or 5:18 */
            elapsed: string | null;
            /** @description As the provider writes it: InProgress, Final, running, finished */
            status: string | null;
            /**
             * Format: date-time
             * @description When the game ended; only where it has
             */
            finishedTimestamp?: string;
        };
        PredictionError: {
            /** @description Which kind */
            type: string;
            /** @description In words for people */
            message: string;
            /** @description What went wrong, as a number or a word for programs; 0: nothing */
            code?: string;
            /** @description The parameter that is wrong */
            param?: string;
            /** @description Names the request in the log of the service */
            request_id: string;
        };
        GameScores: {
            /** @description What is asked for */
            data: components["schemas"]["GameScore"][];
        };
        /** @description Something that has happened */
        Event: {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "transaction.landed" | "transaction.failed" | "transaction.expired";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description What is asked for */
            data: {
                /** @description As the answer that crafted it says */
                requestId: string;
                /** @description The part of the API that it was crafted or submitted with, such as `swap` */
                area: string;
                /** @description Of the transaction, in base58 */
                signature?: string;
                /** @description Of the chain, in which it landed */
                slot?: number;
                /** @description The chain's word, unless it landed */
                error?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "order.opened" | "order.triggered" | "order.partly_filled" | "order.filled" | "order.cancelled" | "order.expired" | "order.failed";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description `order.expired` of v2: it trades no more, and what it holds is there to be withdrawn, also where that was found after it was told as failed or cancelled */
            data: {
                /**
                 * @description A limit order, or an order that waits for a price
                 * @enum {unknown}
                 */
                api: "trigger/v1" | "trigger/v2";
                /** @description v1: the account of the order; v2: its id */
                order: string;
                /**
                 * @description v2
                 * @enum {unknown}
                 */
                type?: "single" | "oco" | "otoco";
                /**
                 * @description v2: `exit` follows the entry of an OTOCO
                 * @enum {unknown}
                 */
                stage?: "entry" | "exit";
                /**
                 * @description v2: which price fired it
                 * @enum {unknown}
                 */
                leg?: "entry" | "take_profit" | "stop_loss";
                /** @description The mint of what goes in */
                inputMint: string;
                /** @description The mint of what comes out */
                outputMint: string;
                /** @description v2: what is left to sell, in the smallest unit */
                remainingAmount?: string;
                /** @description Sold by this transaction, or offered by the order that was opened, in the smallest unit */
                inputAmount?: string;
                /** @description Bought by this transaction, or asked for by the order that was opened, in the smallest unit */
                outputAmount?: string;
                /** @description Of the transaction, in base58 */
                signature?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "verification.requested" | "verification.approved" | "verification.rejected";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description What is asked for */
            data: {
                /** @description Names it in other calls */
                id: string;
                /** @description The mint */
                tokenId: string;
                /**
                 * @description Which kind
                 * @enum {unknown}
                 */
                type: "verification" | "metadata";
                /** @description As the answer that crafted it says */
                requestId: string;
                /** @description Of the transaction, in base58 */
                signature?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "launch.created";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description What is asked for */
            data: {
                /** @description As the answer that crafted it says */
                requestId: string;
                /** @description In base58 */
                mint: string;
                /** @description The account of the pool */
                pool: string;
                /** @description The account of the terms of the curve */
                config: string;
                /** @description The mint that the token is bought with */
                quoteMint: string;
                /** @description As people call it */
                name: string;
                /** @description Short name */
                symbol: string;
                /** @description Of the transaction, in base58 */
                signature?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "launch.migrated";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description What is asked for */
            data: {
                /** @description As the answer that crafted it says */
                requestId: string;
                /** @description In base58 */
                mint: string;
                /** @description The bonding curve pool */
                pool: string;
                /** @description Where the token trades now */
                migratedPool: string;
                /** @description If it was moved from here */
                signature?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {unknown}
             */
            kind: "invite.created" | "invite.claimed" | "invite.taken_back" | "invite.expired";
            /** @description The wallet that it is about */
            wallet: string;
            /** @description What is asked for */
            data: {
                /** @description Its account */
                invite: string;
                /** @description The address that the code of the invite is the key of */
                inviteSigner: string;
                /** @description The wallet that made the invite */
                sender: string;
                /** @description Of a claim */
                receiver?: string;
                /** @description Without one: SOL */
                mint?: string;
                /** @description What is in it, in the smallest unit */
                amount: string;
                /** @description Unix seconds */
                expiry: number;
                /** @description Of the transaction, in base58 */
                signature?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {string}
             */
            kind: "score.changed";
            /** @description None: it concerns everybody */
            wallet?: string;
            /** @description What is asked for */
            data: {
                /** @description Of the game, as in `/prediction/v1/events/{eventId}/score` */
                eventId: string;
                /** @description The game at the provider of scores */
                gameId: string;
                /** @description Whether the game is in progress */
                live: boolean;
                /** @description Whether the game is over */
                ended: boolean;
                /**
                 * Format: date-time
                 * @description ISO 8601
                 */
                updatedAt: string;
                /** @description As the provider writes it */
                leagueAbbreviation?: string;
                /** @description As the provider writes it */
                homeTeam?: string;
                /** @description As the provider writes it */
                awayTeam?: string;
                /** @description As the provider writes it */
                score?: string;
                /** @description As the provider writes it */
                period?: string;
                /** @description As the provider writes it */
                elapsed?: string;
                /** @description As the provider writes it */
                status?: string;
                /**
                 * Format: date-time
                 * @description When the game ended, ISO 8601; null: it has not
                 */
                finishedTimestamp?: string;
            };
        } | {
            /** @description 1, 2, 3 ... without gaps in the list of one key or wallet */
            number: number;
            /**
             * Format: date-time
             * @description When it happened
             */
            at: string;
            /**
             * @description What it is
             * @enum {string}
             */
            kind: "price.changed";
            /** @description None: it concerns everybody */
            wallet?: string;
            /** @description What is asked for */
            data: {
                /** @description In base58 */
                mint: string;
                /** @description US dollars for a whole token */
                usd: number;
            };
        };
        Webhook: {
            /** @description Names it in other calls */
            id: string;
            /** @description Where events are posted to */
            url: string;
            /** @description Only events of these kinds, separated by commas */
            kinds?: string;
            /** @description The wallet */
            wallet?: string;
            /**
             * Format: date-time
             * @description When it was added. It gets what has happened since
             */
            createdAt: string;
            /** @description How often in a row its receiver was away. What it refuses is none of these: see the attempts */
            failures: number;
        };
        NewWebhook: {
            /** @description Names it in other calls */
            id: string;
            /** @description Where events are posted to */
            url: string;
            /** @description Only events of these kinds, separated by commas */
            kinds?: string;
            /** @description The wallet */
            wallet?: string;
            /**
             * Format: date-time
             * @description When it was added. It gets what has happened since
             */
            createdAt: string;
            /** @description How often in a row its receiver was away. What it refuses is none of these: see the attempts */
            failures: number;
            /** @description Signs what is sent, by the Standard Webhooks specification. It is shown only here: keep it */
            secret: string;
        };
        SandboxInfo: {
            /** @description The JSON-RPC of the chain */
            rpcUrl: string;
            /** @description The WebSocket of the chain */
            wsUrl: string;
            /** @description Goes into the header x-api-key */
            apiKey: string;
            /** @description The chain's clock, unix seconds */
            unixTimestamp: number;
            /** @description Mint */
            platformToken: string;
            /** @description Mint */
            platformStable: string;
            /** @description Programs beside those that every chain has */
            programs: {
                /** @description As people call it */
                name: string;
                /** @description In base58 */
                address: string;
                /** @description Our version of another company's program: does what this service needs of it */
                standIn: boolean;
            }[];
            /** @description The events of the simulated games */
            gameEventIds: string[];
            /** @description The funded wallets of the sandbox */
            wallets: {
                /** @description As people call it */
                name: string;
                /** @description In base58 */
                address: string;
                /** @description The 64-byte key in base58, as wallets import it */
                secretKey: string;
            }[];
            /** @description The tokens of the sandbox */
            mints: {
                /** @description Short name */
                symbol: string;
                /** @description In base58 */
                mint: string;
                /** @description Digits after the point: a whole token is ten to the power of this in the smallest unit */
                decimals: number;
                /** @description USD for one whole token */
                usdPrice?: number;
            }[];
        };
        PoolSubmission: {
            /** @description Whether it was done */
            success: boolean;
            /** @description What is asked for */
            data: {
                /** @description In base58 */
                mint: string;
                /** @description The account of the terms of the curve */
                configKey: string;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLivez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Where it stands, or how it ended
                         * @enum {string}
                         */
                        status: "live";
                    };
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Where it stands, or how it ended
                         * @enum {string}
                         */
                        status: "ready" | "not ready";
                        /** @description What was looked at, and how it is */
                        checks: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Not done */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Where it stands, or how it ended
                         * @enum {string}
                         */
                        status: "ready" | "not ready";
                        /** @description What was looked at, and how it is */
                        checks: {
                            [key: string]: string;
                        };
                    };
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1Order: {
        parameters: {
            query: {
                /** @description The mint of what goes in */
                inputMint: string;
                /** @description The mint of what comes out */
                outputMint: string;
                /** @description Of the input, in its smallest unit */
                amount: string;
                /** @description The wallet that swaps; without it the answer is a quote only */
                taker?: string;
                /** @description The wallet that gets the output, by default the taker; not a token account */
                receiver?: string;
                /** @description Pays network fees and rent in place of the taker; both sign */
                payer?: string;
                /** @description Only with payer: who may close the taker's token account, where this swap makes it and it is not of SOL, for good; while it is empty, no trigger order that would pay into it is made. By default the taker */
                closeAuthority?: string;
                /** @description The integrator that gets the fee; together with referralFee */
                referralAccount?: string;
                /** @description Basis points */
                referralFee?: number;
                /** @description Comma list of metis, jupiterz, dflow, okx */
                excludeRouters?: string;
                /** @description For the aggregator only: comma list of Token Swap, Raydium CP, Meteora DAMM v2, Dynamic Bonding Curve, Whirlpool, Meteora DLMM, with + for a space */
                excludeDexes?: string;
                /** @description Instead of automatic slippage */
                slippageBps?: number;
                /** @description Whether priorityFeeLamports is the most that is paid (default) or exactly what is paid */
                broadcastFeeType?: "maxCap" | "exactFee";
                /** @description Priority fee */
                priorityFeeLamports?: number;
                /** @description Tip; left out where this server has no tip accounts */
                jitoTipLamports?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwapOrder"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postUltraV1Execute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Required. Base64 of the signed transaction */
                    signedTransaction?: string;
                    /** @description Required */
                    requestId?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SwapExecution"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1OrderRouters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Routers"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1Shield: {
        parameters: {
            query: {
                /** @description Comma list of up to 100 mints */
                mints: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShieldWarnings"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1Search: {
        parameters: {
            query: {
                /** @description A symbol, a name or a mint; or a comma list of up to 100. Each 10 names or symbols count as a call */
                query: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintInformationList"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getTokensV2Search: {
        parameters: {
            query: {
                /** @description A symbol, a name or a mint; or a comma list of up to 100. Each 10 names or symbols count as a call */
                query: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintInformationList"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1HoldingsAddress: {
        parameters: {
            query?: {
                /** @description The `next` of the page before: a token account */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The wallet */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holdings"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1HoldingsAddressNative: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NativeHoldings"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1BalancesAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balances"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1TransferCraftNative: {
        parameters: {
            query: {
                /** @description The wallet that signs and pays */
                senderAddress: string;
                /** @description A wallet; it need not exist */
                receiverAddress: string;
                /** @description Lamports; to a new wallet at least what the chain asks of an account, at most 890880 */
                amount: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedTransfer"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getUltraV1TransferCraftToken: {
        parameters: {
            query: {
                /** @description The wallet that signs and pays */
                senderAddress: string;
                /** @description The sender's token account that the tokens leave */
                senderTokenAccountAddress: string;
                /** @description A wallet: its associated token account gets the tokens, and is created at the cost of the sender if it is missing. Required without receiverTokenAccountAddress */
                receiverAddress?: string;
                /** @description An existing token account that gets the tokens; receiverAddress is then ignored */
                receiverTokenAccountAddress?: string;
                /** @description In the smallest unit of the mint */
                amount: string;
                /** @description Its transfers must cost no fee and run no hook */
                mint: string;
                /** @description Decimals of the mint, by which you have calculated the amount */
                tokenDecimals: string;
                /** @description The token program of the mint */
                tokenProgramId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedTransfer"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postUltraV1ReclaimCraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet that signs and pays, and gets the rent */
                    owner: string;
                    /** @description The mints whose empty token accounts are closed: those with reclaimableLamports in the owner's holdings */
                    mints: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedReclaim"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postUltraV1TransferExecute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the crafted transaction */
                    requestId: string;
                    /** @description Base64 of the signed transaction */
                    signedTransaction: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferExecution"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postUltraV1ReclaimExecute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the crafted transaction */
                    requestId: string;
                    /** @description Base64 of the signed transaction */
                    signedTransaction: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferExecution"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postTriggerV1CreateOrder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The mint of what goes in */
                    inputMint: string;
                    /** @description The mint of what comes out */
                    outputMint: string;
                    /** @description The wallet whose order it is */
                    maker: string;
                    /** @description Pays the network fee and the rents; may be the maker. Both sign */
                    payer: string;
                    /** @description The terms of the order */
                    params: {
                        /** @description Of the input, in its smallest unit; worth at least 5 USD */
                        makingAmount: string;
                        /** @description What the maker gets for all of it, in the smallest unit of the output */
                        takingAmount: string;
                        /** @description Unix seconds, not milliseconds, from which on it cannot be filled; left out: never */
                        expiredAt?: string;
                        /** @description How much less than asked the maker accepts, 0 (the default) to 9999 */
                        slippageBps?: string;
                        /** @description What the taker pays on top for the integrator; needs feeAccount; default 0 */
                        feeBps?: string;
                    };
                    /** @description Micro-lamports a compute unit; auto, the default: what 95 % of recent transactions do not exceed */
                    computeUnitPrice?: string;
                    /** @description The token account, of the output, that the order's fee goes to */
                    feeAccount?: string;
                    /** @description true, the default: SOL is taken from the wallet and paid to it as SOL; false: wrapped SOL, of its associated token account */
                    wrapAndUnwrapSol?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedOrder"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
        };
    };
    postTriggerV1CancelOrder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet whose order it is */
                    maker: string;
                    /** @description The order's account */
                    order: string;
                    /** @description Micro-lamports a compute unit; auto, the default: what 95 % of recent transactions do not exceed */
                    computeUnitPrice?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledOrder"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
        };
    };
    postTriggerV1CancelOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet whose order it is */
                    maker: string;
                    /** @description Left out or empty: the 50 oldest that are open */
                    orders?: string[];
                    /** @description Micro-lamports a compute unit; auto, the default: what 95 % of recent transactions do not exceed */
                    computeUnitPrice?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledOrders"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
        };
    };
    postTriggerV1Execute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Names the crafted transaction: goes back with it signed */
                    requestId: string;
                    /** @description Base64 of the signed transaction */
                    signedTransaction: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutedOrder"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
        };
    };
    getTriggerV1GetTriggerOrders: {
        parameters: {
            query: {
                /** @description The maker */
                user: string;
                /** @description active: open; history: all others */
                orderStatus: "active" | "history";
                /** @description 10 orders a page; default 1 */
                page?: number;
                /** @description In the history: also orders that the chain has refused to open; default false */
                includeFailedTx?: "true" | "false";
                /** @description Only orders with this input */
                inputMint?: string;
                /** @description Only orders with this output */
                outputMint?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrders"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV1Error"];
                };
            };
        };
    };
    postTriggerV2AuthChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet */
                    walletPubkey: string;
                    /**
                     * @description Which kind
                     * @enum {string}
                     */
                    type: "message" | "transaction";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginChallenge"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2AuthVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Which kind
                     * @enum {string}
                     */
                    type: "message" | "transaction";
                    /** @description The wallet */
                    walletPubkey: string;
                    /** @description Of the type message: base58 of the signature of the text */
                    signature?: string;
                    /** @description Of the type transaction: base64 */
                    signedTransaction?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Login"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2AuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logout"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    getTriggerV2Vault: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Vault not found: GET /trigger/v2/vault/register first */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    getTriggerV2VaultRegister: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vault"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Vault already registered; it stands in `details` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2DepositCraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The mint of what goes in */
                    inputMint: string;
                    /** @description The mint of what comes out */
                    outputMint: string;
                    /** @description The logged-in wallet */
                    userAddress: string;
                    /** @description What to deposit, in the smallest unit */
                    amount: string;
                    /**
                     * @description Always price
                     * @enum {string}
                     */
                    orderType: "price";
                    /**
                     * @description What the deposit is for
                     * @enum {string}
                     */
                    orderSubType: "single" | "oco" | "otoco";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerDeposit"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2OrdersPrice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description single: one price; oco: take profit or stop loss; otoco: an entry, then both
                     * @enum {string}
                     */
                    orderType: "single" | "oco" | "otoco";
                    /** @description The requestId of the answer that crafted the deposit */
                    depositRequestId: string;
                    /** @description Base64 of the deposit as the wallet has signed it */
                    depositSignedTx: string;
                    /** @description The logged-in wallet */
                    userPubkey: string;
                    /** @description The mint of what goes in */
                    inputMint: string;
                    /** @description The deposit, in the smallest unit */
                    inputAmount: string;
                    /** @description The mint of what comes out */
                    outputMint: string;
                    /** @description The token whose price fires the order */
                    triggerMint: string;
                    /** @description Unix milliseconds */
                    expiresAt: number;
                    /**
                     * @description Whether it fires at the price and above, or at the price and below
                     * @enum {string}
                     */
                    triggerCondition?: "above" | "below";
                    /** @description USD for one whole token */
                    triggerPriceUsd?: number;
                    /** @description Basis points */
                    trailingBps?: number;
                    /** @description USD for one whole token */
                    tpPriceUsd?: number;
                    /** @description USD for one whole token */
                    slPriceUsd?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    slippageBps?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    tpSlippageBps?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    slSlippageBps?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrderCreated"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    patchTriggerV2OrdersPriceOrderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an order */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description single: one price; oco: take profit or stop loss; otoco: an entry, then both
                     * @enum {string}
                     */
                    orderType: "single" | "oco" | "otoco";
                    /** @description Unix milliseconds */
                    expiresAt?: number;
                    /**
                     * @description Whether it fires at the price and above, or at the price and below
                     * @enum {string}
                     */
                    triggerCondition?: "above" | "below";
                    /** @description USD for one whole token */
                    triggerPriceUsd?: number;
                    /** @description Basis points */
                    trailingBps?: number;
                    /** @description USD for one whole token */
                    tpPriceUsd?: number;
                    /** @description USD for one whole token */
                    slPriceUsd?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    slippageBps?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    tpSlippageBps?: number;
                    /** @description Basis points. No fill loses more against the prices than the operator allows, 3000 by default */
                    slSlippageBps?: number;
                    /** @description The wallet's signature (base58) of the text that a refused change names in `details.sign` */
                    signature?: string;
                    /** @description The time in that text, in unix milliseconds; good for five minutes */
                    signedAt?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrderEdited"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2OrdersPriceCancelOrderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an order */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrderCancel"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postTriggerV2OrdersPriceConfirmCancelOrderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an order */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Base64 of the signed withdrawal */
                    signedTransaction: string;
                    /** @description The requestId of the answer that began to cancel */
                    cancelRequestId: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrderCancelled"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    getTriggerV2OrdersHistory: {
        parameters: {
            query?: {
                /** @description the id of an order: it is answered alone */
                id?: string;
                /** @description Where it stands */
                state?: "active" | "past";
                /** @description Input or output */
                mint?: string;
                /** @description How many at most */
                limit?: number;
                /** @description How many to leave out at the beginning */
                offset?: number;
                /** @description By which time they are sorted */
                sort?: "updated_at" | "created_at" | "expires_at";
                /** @description desc: the newest first, which is what you get without it */
                dir?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerHistory"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    getTriggerV2OrdersHistoryOrderId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an order */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrder"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    getTriggerV2OrdersHistoryOrderIdExplanation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an order */
                orderId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerOrderExplanation"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key or the token of the login is missing, not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Order not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["TriggerV2Error"];
                };
            };
        };
    };
    postStudioV1DbcPoolCreateTx: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The price at which the token begins, and the one at which it moves to the AMM */
                    buildCurveByMarketCapParam: {
                        /** @description SOL, USDC or the platform token */
                        quoteMint: string;
                        /** @description What all tokens are worth at the first price, in whole tokens of the quote */
                        initialMarketCap: number;
                        /** @description The same at the price at which the pool migrates to the AMM */
                        migrationMarketCap: number;
                        /**
                         * @description Decimals of the quote
                         * @enum {unknown}
                         */
                        tokenQuoteDecimal: 6 | 9;
                        /** @description Tokens that the creator gets later; all zero: none */
                        lockedVestingParam: {
                            /** @description Whole tokens of the 1,000,000,000 that the creator gets after the migration */
                            totalLockedVestingAmount: number;
                            /** @description Whole tokens of them that come at once when the cliff is over */
                            cliffUnlockAmount: number;
                            /**
                             * @description Equal parts in which the others come
                             * @enum {unknown}
                             */
                            numberOfVestingPeriod: 0 | 6 | 12 | 183 | 365;
                            /**
                             * @description Seconds over which the others come
                             * @enum {unknown}
                             */
                            totalVestingDuration: 0 | 15552000 | 15811200 | 31536000;
                            /**
                             * @description Seconds until the cliff is over
                             * @enum {unknown}
                             */
                            cliffDurationFromMigrationTime: 0 | 15552000 | 15811200 | 31536000;
                        };
                    };
                    /** @description The fee begins at 99 % and falls by 1 % a step */
                    antiSniping: boolean;
                    /** @description What a trade on the curve costs */
                    fee: {
                        /**
                         * @description Basis points of every trade
                         * @default 100
                         * @enum {unknown}
                         */
                        feeBps?: 100 | 200;
                        /**
                         * @description Slots over which the fee against snipers falls; without antiSniping of no effect
                         * @enum {unknown}
                         */
                        totalDuration?: 60 | 120 | 180 | 240 | 300;
                        /**
                         * @description How the fee against snipers falls, by default linear; without antiSniping of no effect
                         * @enum {unknown}
                         */
                        baseFeeMode?: "linear" | "exponential";
                    };
                    /**
                     * @description Half of the liquidity is locked for good, half for a year after the migration
                     * @default true
                     */
                    isLpLocked?: boolean;
                    /** @description At most 32 bytes of UTF-8, without invisible characters */
                    tokenName: string;
                    /** @description At most 10 bytes of UTF-8, without invisible characters */
                    tokenSymbol: string;
                    /**
                     * @description Of the image that you upload next
                     * @enum {unknown}
                     */
                    tokenImageContentType: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
                    /** @description The wallet that signs, pays and owns the pool */
                    creator: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolCreation"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The chain lacks a program that launches need */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again. Too many launches of this key are under way: try again when some have landed or expired */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
        };
    };
    getStudioV1DbcPoolAddressesMint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description In base58 */
                mint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolAddresses"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description Pool addresses not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
        };
    };
    postStudioV1DbcFee: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The pool on the curve */
                    poolAddress: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolFees"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
        };
    };
    postStudioV1DbcFeeCreateTx: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The creator of the pool */
                    ownerWallet: string;
                    /** @description The pool on the curve */
                    poolAddress: string;
                    /** @description The most to claim, in the quote's smallest unit */
                    maxQuoteAmount: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeeClaim"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description Proxy account not found for the creator */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
        };
    };
    postSendV1CraftSend: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The public key of the invite; its key pair is made of the code, which is never sent here */
                    inviteSigner: string;
                    /** @description The wallet that gives; signs and pays */
                    sender: string;
                    /** @description In the smallest unit, as a decimal string; of SOL at least what the chain asks of an account, at most 890880 */
                    amount: string;
                    /** @description Left out, or the mint of wrapped SOL: SOL, out of the wallet */
                    mint?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedInvite"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSendV1CraftClawback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The invite's account: invite_pda of the lists */
                    invitePDA: string;
                    /** @description The wallet that has made it; signs and pays the network fee */
                    sender: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedClawback"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSendV1CraftClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The public key of the invite */
                    inviteSigner: string;
                    /** @description The wallet that gets everything; it need not exist */
                    receiver: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CraftedClaim"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSendV1ExecuteClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of craft-claim */
                    requestId: string;
                    /** @description Base64 of the claim, signed by the key of the invite */
                    signedTransaction: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutedClaim"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getSendV1PendingInvites: {
        parameters: {
            query: {
                /** @description The wallet */
                address: string;
                /** @description 10 invites a page; default 1 */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invites"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getSendV1InviteHistory: {
        parameters: {
            query: {
                /** @description The wallet */
                address: string;
                /** @description 10 invites a page; default 1 */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invites"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postTxV1Submit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Base64 of the fully signed transaction, a legacy one or one of version 0 */
                    signedTransaction: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmittedTransaction"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again. Too many transactions of this key are under way: try again when some have ended */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getTxV1StatusSignature: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the transaction, in base58 */
                signature: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionStatus"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description This transaction was not submitted here */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getTokensV2VerifyExpressCraftTxn: {
        parameters: {
            query: {
                /** @description The wallet that signs and pays */
                senderAddress: string;
                /** @description One of PLATFORM_TOKEN, SOL, USDC, PLATFORM_STABLE, or the configured symbol of the platform token or stable */
                paymentCurrency?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressPayment"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
        };
    };
    getTokensV2VerifyExpressCheckEligibility: {
        parameters: {
            query: {
                /** @description The mint */
                tokenId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressEligibility"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
        };
    };
    postTokensV2VerifyExpressExecute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Base64 of the signed transaction */
                    transaction: string;
                    /** @description Names the crafted transaction: goes back with it signed */
                    requestId: string;
                    /** @description The wallet that pays */
                    senderAddress: string;
                    /** @description The mint to verify */
                    tokenId: string;
                    /** @description Empty for a metadata request alone */
                    twitterHandle: string;
                    /** @description In words for people */
                    description: string;
                    /** @description Of whoever asks, with or without @ */
                    senderTwitterHandle?: string;
                    /** @description What is to be shown of the token */
                    tokenMetadata?: {
                        /** @description The mint of the token */
                        tokenId: string;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        icon?: string | null;
                        /** @description As people call it */
                        name?: string | null;
                        /** @description Short name */
                        symbol?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        website?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        telegram?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        twitter?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        twitterCommunity?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        discord?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        instagram?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        tiktok?: string | null;
                        /** @description In whole tokens, as the project says it */
                        circulatingSupply?: string | null;
                        /** @description What is to be shown about the token; null or left out: nothing */
                        tokenDescription?: string | null;
                        /** @description The id of the token at CoinGecko */
                        coingeckoCoinId?: string | null;
                        /** @description Where the circulating supply can be read */
                        circulatingSupplyUrl?: string | null;
                        /** @description A link of the token, as it is to be shown; null or left out: none */
                        otherUrl?: string | null;
                        /** @description Whether to show circulatingSupply */
                        useCirculatingSupply?: boolean | null;
                        /** @description Whether to show what CoinGecko says */
                        useCoingeckoCoinId?: boolean | null;
                        /** @description Whether to show what circulatingSupplyUrl says */
                        useCirculatingSupplyUrl?: boolean | null;
                    };
                    /**
                     * @description What is paid with
                     * @default PLATFORM_TOKEN
                     */
                    paymentCurrency?: string;
                    /** @description Required for another currency than the platform token */
                    paymentAmount?: string;
                    /** @description Taken and not used: the payment that was crafted says how much is paid */
                    jupOutputAmount?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressExecution"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description The token is verified already, or a request for it exists; with code PAID_FOR_ANOTHER, the payment has landed for another request */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The body has more than 262,144 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpressError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["ExpressError"];
                };
            };
        };
    };
    getPredictionV1EventsEventIdScore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description text without NUL characters */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The score, or null where nothing is known of the event */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameScore"] | null;
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredictionError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredictionError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
        };
    };
    getPredictionV1EventsScores: {
        parameters: {
            query: {
                /** @description Up to 100 event ids, separated by commas */
                eventIds: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GameScores"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredictionError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredictionError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PredictionError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PredictionError"];
                };
            };
        };
    };
    getEventsV1Stream: {
        parameters: {
            query?: {
                /** @description Only events of these kinds, separated by commas; `order.*` stands for all that begin with `order.`. `score.changed` and `price.changed` come only to those who name them. */
                kinds?: string;
                /** @description Only events about this wallet */
                wallet?: string;
                /** @description Begin after the event with this number; `0`: with the oldest that is kept. The header `Last-Event-ID` goes before it. Without both, the stream begins with what happens from now on. */
                after?: string;
            };
            header?: {
                /** @description The last number that you have seen, which an EventSource sends by itself when it connects again */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events. The `data` of each is one `Event` as JSON, its `id` the number of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The events after that number are no longer kept, or it is of another list. Read the state of what you follow, and begin anew */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again. Too many streams of this key are open */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getEventsV1Webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The oldest first */
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postEventsV1Webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Where events are posted to: https; in a sandbox also http
                     * @example http://localhost:3000/hook
                     */
                    url: string;
                    /** @description As of the stream: only events of these kinds */
                    kinds?: string;
                    /** @description Only events about this wallet */
                    wallet?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There are 20 webhooks already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    deleteEventsV1WebhooksId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names it in other calls */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Names it in other calls */
                        id: string;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no webhook with this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postEventsV1WebhooksIdRotateSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names it in other calls */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Signs what is sent, by the Standard Webhooks specification. It is shown only here: keep it */
                        secret: string;
                        /**
                         * Format: date-time
                         * @description Until then messages are also signed with the secret before
                         */
                        previousUntil: string;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no webhook with this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postEventsV1WebhooksIdTest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names it in other calls */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The answer was 2xx */
                        received: boolean;
                        /** @description The HTTP status of the answer; absent where there was none */
                        status?: number;
                        /** @description Why it has not arrived, where the status does not say it */
                        error?: string;
                        /** @description How long it took */
                        milliseconds: number;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no webhook with this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getEventsV1WebhooksIdAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names it in other calls */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The last 100, the newest first */
                        attempts: {
                            /** @description Of the event; 0 is a test */
                            number: number;
                            /**
                             * Format: date-time
                             * @description When it was sent
                             */
                            at: string;
                            /** @description The HTTP status of the answer; absent where there was none */
                            status?: number;
                            /** @description Why it has not arrived, where the status does not say it */
                            error?: string;
                            /** @description How long it took */
                            milliseconds: number;
                        }[];
                        /** @description Events that were given up after 24 hours: the newest 100 */
                        failed: {
                            /** @description Of the event; 0 is a test */
                            number: number;
                            /** @description What it is */
                            kind: string;
                            /**
                             * Format: date-time
                             * @description When it was told, which may be long after it happened
                             */
                            at: string;
                            /** @description How often it was sent */
                            tries: number;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no webhook with this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postEventsV1WebhooksIdRedeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Names it in other calls */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the event; all that were given up without it */
                    number?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many are sent again */
                        events: number;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The key is missing or not known, or the token of the login is not known or expired */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no webhook with this id */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getSandboxInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxInfo"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSandboxAirdrop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wallet */
                    wallet: string;
                    /** @description Left out, or the wrapped SOL mint: lamports */
                    mint?: string;
                    /** @description In the smallest unit */
                    amount: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Of the transaction, in base58 */
                        signature: string;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description There is no such mint on the chain */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSandboxPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In base58 */
                    mint: string;
                    /** @description USD for one whole token */
                    usd: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description In base58 */
                        mint: string;
                        /** @description USD for one whole token */
                        usd: number;
                        /** @description In a fork: which pools do not follow */
                        note?: string;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The sandbox has no price of this mint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postSandboxClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description How far to move forward */
                    seconds: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Unix seconds */
                        unixTimestamp: number;
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The body has more than 16,384 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    getSandboxPools: {
        parameters: {
            query: {
                /** @description Only pools of this token: its mint, or a listed symbol */
                token?: string;
                /** @description How many at most */
                limit: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many there are, of this token or of all */
                        count: number;
                        /** @description The deepest first */
                        pools: {
                            /** @description In base58 */
                            address: string;
                            /** @description The kind of pool, as `excludeDexes` takes it */
                            venue: string;
                            /** @description Its two tokens */
                            tokens: {
                                /** @description In base58 */
                                mint: string;
                                /** @description Short name */
                                symbol: string | null;
                                /** @description Digits after the point: a whole token is ten to the power of this in the smallest unit */
                                decimals: number | null;
                                /** @description How much of it can be traded, roughly, in the smallest unit; null while nobody can trade with the pool */
                                reserve: string | null;
                            }[];
                            /** @description Whole units of the second token for one of the first, without the fee */
                            price: number | null;
                            /** @description What the pool and its owner keep of a trade, roughly */
                            feePercent: number | null;
                            /** @description Why nobody can trade with it now */
                            refusal: string | null;
                        }[];
                    };
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlainError"];
                };
            };
            /** @description Something that the service needs is away: the header Retry-After says when to try again */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["PlainError"];
                };
            };
        };
    };
    postStudioV1DbcPoolSubmit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description Base64 of the signed transaction */
                    transaction: string;
                    /** @description The creator of the pool */
                    owner: string;
                    /** @description For the token's page */
                    content?: string;
                    /**
                     * Format: binary
                     * @description For the token's page; JPEG, PNG, GIF or WebP
                     */
                    headerImage?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolSubmission"];
                };
            };
            /** @description The request cannot be served as it is: the answer says what to change */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The header x-api-key is missing, or its key is not known */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The key does not have access, or the area refuses */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The chain lacks a program that launches need, or the launch is under way */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has more than 5,373,952 bytes */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description Too many requests: `limit` says of which kind, and the header Retry-After when to try again */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"];
                };
            };
            /** @description The service failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StudioError"];
                };
            };
            /** @description The request cannot be served */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
            /** @description The service failed */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatewayError"] | components["schemas"]["StudioError"];
                };
            };
        };
    };
}
