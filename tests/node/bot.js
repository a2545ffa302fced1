// A bot for Genial in JavaScript, from the .proto files alone: takes a seat, does its part of the
// verifiable deal, plays a whole game, and checks at the end that nobody chose the deal.
//
//     node bot.js ADDRESS TABLE FINGERPRINT [NAME]     FINGERPRINT: as the host shows it, or -
//                                                      for a host without encryption
//
// docs/other-languages.md explains it step by step.
"use strict";

const crypto = require("node:crypto");
const path = require("node:path");
const tls = require("node:tls");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const PROTOS = path.join(__dirname, "..", "..", "protos");
const LETTERS = "RGBOYP";

// --- the connection ------------------------------------------------------------------------

/** Shows what certificate a host has; nothing is sent to it. */
function fetchCertificate(host, port) {
  return new Promise((resolve, reject) => {
    const options = { host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
    const socket = tls.connect(options, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

/** Encryption that accepts this one certificate; its fingerprint is all that there is to trust. */
async function credentials(address, fingerprint) {
  if (fingerprint === "-") return [grpc.credentials.createInsecure(), {}];
  const { hostname, port } = new URL(`tcp://${address}`);
  const der = await fetchCertificate(hostname.replace(/^\[|\]$/g, ""), Number(port));
  const shown = crypto.createHash("sha256").update(der).digest("hex");
  if (shown !== fingerprint) throw new Error(`the host shows ${shown}, not ${fingerprint}`);
  const pem = `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  // The certificate is made out to the name "genial", wherever the host is.
  return [grpc.credentials.createSsl(Buffer.from(pem)), { "grpc.ssl_target_name_override": "genial" }];
}

/** A unary call as a promise. Every command carries a request id of its own. */
function call(client, method, request, token) {
  const metadata = new grpc.Metadata();
  if (token) metadata.set("genial-seat-token", token);
  const whole = { requestId: crypto.randomUUID(), ...request };
  return new Promise((resolve, reject) => {
    client[method](whole, metadata, { deadline: Date.now() + 10_000 }, (error, answer) => {
      if (error) reject(error);
      else resolve(answer);
    });
  });
}

function watch(client, method, request, token) {
  const metadata = new grpc.Metadata();
  if (token) metadata.set("genial-seat-token", token);
  return client[method](request, metadata);
}

// --- the deal that nobody can choose (rules, section 9) --------------------------------------

function sha256(...parts) {
  const hash = crypto.createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** This seat's part of the deal: first the hash, then, when all hashes are shown, the nonce. */
class Deal {
  constructor(lobby, tableId, token) {
    Object.assign(this, { lobby, tableId, token, nonce: null, step: "", shown: null });
  }

  async follow(table) {
    const shuffle = table.shuffle;
    if (table.state !== "TABLE_STATE_DEALING" || !shuffle) return;
    const step = `${table.gameNumber}/${shuffle.deal}`;
    const names = { tableId: this.tableId, gameNumber: table.gameNumber, deal: shuffle.deal };
    if (this.step !== step) {
      this.step = step;
      this.nonce = crypto.randomBytes(32);
      this.commitment = shuffle.commitment;
      this.revealed = false;
      const nonceHash = sha256("genial-nonce/1", this.nonce);
      await call(this.lobby, "CommitNonce", { ...names, nonceHash }, this.token);
      return;
    }
    const hashes = shuffle.nonceHashes;
    if (this.revealed || hashes.length < table.seats.length || hashes.some((h) => !h.length)) return;
    if (!hashes[table.viewerSeat].equals(sha256("genial-nonce/1", this.nonce))) {
      throw new Error("the host shows another hash than ours");
    }
    this.revealed = true;
    this.shown = hashes;
    await call(this.lobby, "RevealNonce", { ...names, nonce: this.nonce }, this.token);
  }

  /** Compares what the game shows with what was fixed before. */
  check(shuffle, seat) {
    if (!shuffle.commitment.equals(this.commitment)) throw new Error("another commitment");
    if (!shuffle.nonces[seat].equals(this.nonce)) throw new Error("not our nonce");
    shuffle.nonces.forEach((nonce, place) => {
      if (!sha256("genial-nonce/1", nonce).equals(this.shown[place])) {
        throw new Error(`seat ${place} revealed another nonce than it had fixed`);
      }
    });
    if (!sha256("genial-shuffle/1", shuffle.seed).equals(this.commitment)) {
      throw new Error("the seed is not the one that was fixed");
    }
  }
}

// --- the board -------------------------------------------------------------------------------

const DIRECTIONS = [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]];
const key = (q, r) => `${q},${r}`;
const STARTS = { R: [0, -5], G: [5, -5], B: [5, 0], O: [0, 5], Y: [-5, 5], P: [-5, 0] };

/** The cells of a view's board: key -> symbol letter, "" where it is free. */
function readBoard(bytes) {
  const radius = { 91: 5, 127: 6, 169: 7 }[bytes.length];
  const cells = new Map();
  let at = 0;
  for (let r = -radius; r <= radius; r++) {
    for (let q = -radius; q <= radius; q++) {
      if (Math.abs(q + r) > radius) continue;
      const symbol = bytes[at++];
      cells.set(key(q, r), symbol ? LETTERS[symbol - 1] : "");
    }
  }
  return cells;
}

/** Points of half a tile: like symbols in line, in the five directions away from the other half. */
function half(cells, symbol, [q, r], [otherQ, otherR]) {
  let points = 0;
  for (const [dq, dr] of DIRECTIONS) {
    if (q + dq === otherQ && r + dr === otherR) continue;
    let [x, y] = [q + dq, r + dr];
    while (cells.get(key(x, y)) === symbol) {
      points++;
      [x, y] = [x + dq, y + dr];
    }
  }
  return points;
}

/** The placement of the rack with the most points; null if there is none. */
function best(view) {
  const cells = readBoard(view.board);
  const first = !view.startedSeats.includes(view.viewerSeat);
  const isFree = ([q, r]) => cells.get(key(q, r)) === "";
  const beside = ([q, r]) => DIRECTIONS.map(([dq, dr]) => [q + dq, r + dr]);
  const unclaimed = Object.keys(STARTS).filter((letter) => !view.claimedStarts.includes(letter));
  const goals = new Set();
  if (first) {
    for (const letter of unclaimed) beside(STARTS[letter]).forEach((c) => goals.add(key(...c)));
  }
  let found = null;
  for (const name of cells.keys()) {
    const one = name.split(",").map(Number);
    if (!isFree(one)) continue;
    for (const other of beside(one).filter(isFree)) {
      if (first && !goals.has(name) && !goals.has(key(...other))) continue;
      for (const tile of view.rack) {
        const points = half(cells, tile[0], one, other) + half(cells, tile[1], other, one);
        if (!found || points > found.points) found = { tile, cells: [one, other], points };
      }
    }
  }
  return found;
}

// --- an evening --------------------------------------------------------------------------------

async function main([address, tableId, fingerprint, name = "Node"]) {
  const definition = loader.loadSync(
    ["lobby_service", "game_service"].map((file) => `genial/v1/${file}.proto`),
    { includeDirs: [PROTOS], enums: String, longs: Number, defaults: true },
  );
  const { LobbyService, GameService } = grpc.loadPackageDefinition(definition).genial.v1;
  const [secure, options] = await credentials(address, fingerprint);
  const lobby = new LobbyService(address, secure, options);
  const games = new GameService(address, secure, options);

  const { host } = await call(lobby, "GetHost", {});
  console.log(`host ${host.name} runs ${host.software}, protocol ${host.protocol}`);
  // Whoever has the token has the seat: 32 random bytes that never leave the metadata.
  const token = crypto.randomBytes(32).toString("base64url");
  const request = { tableId, name, botLevel: "node" };
  const { seat } = await call(lobby, "JoinTable", request, token);
  console.log(`seated at ${seat}`);

  const deal = new Deal(lobby, tableId, token);
  const gameId = await new Promise((resolve, reject) => {
    const stream = watch(lobby, "WatchTable", { tableId }, token);
    let queue = Promise.resolve();
    // The stream stays open: with the token it is the seat's presence.
    stream.on("data", ({ table }) => {
      if (!table) return;
      queue = queue.then(() => deal.follow(table)).catch(reject);
      if (table.state === "TABLE_STATE_ACTIVE") resolve(table.gameId);
    });
    stream.on("error", reject);
  });

  let placements = 0;
  const last = await new Promise((resolve, reject) => {
    const stream = watch(games, "WatchGame", { gameId }, token);
    let queue = Promise.resolve();
    let newest = null;
    const act = async (view) => {
      if (view !== newest || view.phase === "TURN_PHASE_OVER" || view.turnSeat !== seat) return;
      const where = { gameId, expectedRevision: view.revision };
      if (view.phase === "TURN_PHASE_CLOSE") {
        await call(games, "RefillRack", where, token);
        return;
      }
      const move = best(view);
      const cells = move.cells.map(([q, r]) => ({ q, r }));
      await call(games, "PlaceTile", { ...where, tile: move.tile, cells }, token);
      placements++;
    };
    stream.on("data", ({ view }) => {
      if (!view) return;
      newest = view;
      queue = queue.then(() => act(view)).catch(reject);
    });
    // A game's stream ends by itself after the message that shows the end.
    stream.on("end", () => queue.then(() => resolve(newest)));
    stream.on("error", reject);
  });
  deal.check(last.shuffle, seat);
  console.log(`deal checked; ${placements} placements; ended: ${last.endReason}`);
  console.log(`ranking ${JSON.stringify(last.ranking.map((group) => group.seats))}`);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error) => {
    console.error(`bot.js: ${error.details || error.message}`);
    process.exit(1);
  },
);
