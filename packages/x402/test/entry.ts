// `@grainline/x402/testing`: the memo that a client computes, for the comparison with the server's.
export { memoOfUpload } from '../src/client/request.ts';
