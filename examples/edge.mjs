// The free tier alone, for workers at the edge and pages in a browser: no dependency, no Node, under 5 kB.
// The default export is a handler as Cloudflare Workers, Deno and Bun take it: POST a text, get its chunks.
// Run: node examples/edge.mjs
/* global Request, Response */
import { chunkFree } from '@grainline/core/free';

const handler = {
  /**
   * @param {Request} request a POST with the text as its body; `?size=` as in the library
   * @returns {Promise<Response>}
   */
  async fetch(request) {
    const size = Number(new URL(request.url).searchParams.get('size') ?? 1000);
    try {
      return Response.json({ chunks: chunkFree(await request.text(), { size }) });
    } catch (error) {
      return Response.json({ code: error.code, message: error.message }, { status: 400 });
    }
  },
};

export default handler;

// What follows is only for trying it out.
const ask = (size) =>
  new Request(`https://edge.test/?size=${size}`, { method: 'POST', body: 'Ebb and flood. '.repeat(10) });
console.log(await (await handler.fetch(ask(40))).json());
console.log(await (await handler.fetch(ask(0))).json());
