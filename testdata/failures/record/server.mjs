// A server for the recorders: what it does with a connection is the first word of the path.
// It listens on PORT of the loopback, and says so on standard output.
import http from "node:http";

const server = http.createServer((request, response) => {
  switch (request.url.split("/")[1]) {
    case "reset":
      request.socket.resetAndDestroy();
      break;
    case "hang":
      break;
    case "429":
      response.writeHead(429, { "retry-after": "30", "content-type": "text/plain" });
      response.end("rate limit exceeded\n");
      break;
    default:
      response.writeHead(Number(request.url.split("/")[1]) || 404, { "content-type": "text/plain" });
      response.end(http.STATUS_CODES[Number(request.url.split("/")[1])] + "\n");
  }
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
