/**
 * Whether a status says that the service refused the request, so that it had no effect: a 4xx, or 503. Neither 408 nor 425 says so:
 * a gateway answers 408 for a service that was late and may have done it all the same, and both mean that it may succeed later.
 */
export const saysRefused = (status: number): boolean =>
  status === 503 || (status >= 400 && status < 500 && status !== 408 && status !== 425);
