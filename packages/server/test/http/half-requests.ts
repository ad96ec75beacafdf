// Requests that are never completed: the head, the body, or everything is missing.
export const HALF_REQUESTS = [
  '',
  'GET /health HTTP/1.1\r\nHo',
  'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"tier":',
  'POST /chunk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tex\r\n',
  'POST /chunk/demo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000\r\n\r\n--b\r\nCon',
] as const;
