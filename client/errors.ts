import { plain } from '../text/controls.ts';
import { unsendable } from './network-code.ts';

/** Errors of a call. Each says by a plain field whether the same call may succeed later; nothing downstream looks at the class. */
type CallInfo = { operation: string; requestId: string };

/** The service answered with a failure. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly retryable: boolean;
  readonly operation: string;
  readonly requestId: string;
  readonly status: number;
  /** Machine code of the instance API's error body, where there is one. */
  readonly code?: string;
  /** Raw answer, cut at 64 KiB: an answer may name a thousand ids. */
  readonly body: string;
  /** The contract says of this failure that the call had no effect. */
  readonly nothingHappened: boolean;
  readonly remedy?: string;
  constructor(
    info: CallInfo & {
      status: number;
      body: string;
      code?: string;
      retryable: boolean;
      detail: string;
      nothingHappened?: boolean;
      remedy?: string;
    },
  ) {
    super(`${info.operation} answered ${info.status}: ${plain(info.detail).slice(0, 500)}`);
    this.operation = info.operation;
    this.requestId = info.requestId;
    this.status = info.status;
    this.body = info.body.slice(0, 65_536);
    if (info.code !== undefined) this.code = info.code;
    this.retryable = info.retryable;
    this.nothingHappened = info.nothingHappened ?? false;
    if (info.remedy !== undefined) this.remedy = info.remedy;
  }
}

/** The class is closed until a time: by an answer just now (`sent`), or by one this process saw before (nothing was sent). */
export class Throttled extends Error {
  override readonly name = 'Throttled';
  readonly retryable = true;
  readonly operation: string;
  readonly requestId: string;
  readonly limit: string;
  readonly waitMs: number;
  readonly status?: number;
  readonly sent: boolean;
  /** False: the answer named no time, and the wait is ours. */
  readonly asked?: boolean;
  constructor(info: CallInfo & { limit: string; waitMs: number; sent: boolean; status?: number; asked?: boolean }) {
    const seconds = Math.ceil(info.waitMs / 1_000);
    super(
      info.sent
        ? `${info.limit} closed for ${seconds} s: ${info.status}${info.asked ? `, Retry-After ${seconds}` : ' without Retry-After'}`
        : `${info.limit} is closed for another ${seconds} s`,
    );
    this.operation = info.operation;
    this.requestId = info.requestId;
    this.limit = info.limit;
    this.waitMs = info.waitMs;
    this.sent = info.sent;
    if (info.status !== undefined) this.status = info.status;
    if (info.asked !== undefined) this.asked = info.asked;
  }
}

/** No whole answer came. `sent`: the request may have reached the service, so an effect may have happened. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** What HTTP cannot carry is no more carried the next time. */
  readonly retryable: boolean;
  readonly operation: string;
  readonly requestId: string;
  readonly code: string;
  readonly sent: boolean;
  constructor(info: CallInfo & { code: string; sent: boolean; url: string }) {
    super(
      info.sent
        ? `${info.operation}: no answer from ${info.url} (${info.code}); it may have been carried out`
        : unsendable.has(info.code)
          ? `${info.operation}: nothing was sent to ${info.url} (${info.code}): HTTP cannot carry a character of a header, key or address`
          : `${info.operation}: ${info.url} cannot be reached (${info.code})`,
    );
    this.operation = info.operation;
    this.requestId = info.requestId;
    this.retryable = !unsendable.has(info.code);
    this.code = info.code;
    this.sent = info.sent;
  }
}

/** Where to look when something that is not the API answers. */
export const notTheApi = 'is the URL of the connection that of the API itself? A web page, a proxy or another API answers here';

/** Request or answer does not fit the contract. Sending it again would change nothing. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly retryable = false;
  readonly operation: string;
  readonly side: 'request' | 'answer';
  readonly remedy?: string;
  constructor(operation: string, side: 'request' | 'answer', issues: string, remedy?: string) {
    super(`${operation}: the ${side} does not fit its contract: ${issues}`);
    this.operation = operation;
    this.side = side;
    if (remedy !== undefined) this.remedy = remedy;
  }
}

/** The signed URL of a part is no longer taken: no question of rights, new URLs are needed. */
export class UrlsExpired extends Error {
  override readonly name = 'UrlsExpired';
  readonly retryable = false;
  readonly operation: string;
  readonly requestId: string;
  constructor(info: CallInfo & { detail: string }) {
    super(`the signed URL of the part has expired: ${plain(info.detail).slice(0, 300)}`);
    this.operation = info.operation;
    this.requestId = info.requestId;
  }
}

/** A request that is never sent, because of what it asks for. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly retryable: boolean;
  constructor(message: string, { retryable = false } = {}) {
    super(message);
    this.retryable = retryable;
  }
}

/** May a call that failed so be sent again? */
export const isRetryable = (error: unknown): boolean => error instanceof Error && 'retryable' in error && error.retryable === true;

/** May the call that failed so have had its effect? */
export const isAmbiguous = (error: unknown): boolean =>
  (error instanceof NetworkError && error.sent) ||
  (error instanceof ApiError && error.retryable && !error.nothingHappened) ||
  (error instanceof ContractError && error.side === 'answer');
