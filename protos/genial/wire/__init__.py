"""What both ends of the wire share.

errors        one catalogue of everything that can be refused, and its way over gRPC
metadata      names of call metadata, seat tokens, the bearer secret
announcement  what a host says of itself by mDNS
values        rules, cells, tiles, tracks, clocks  <-> messages
views         what one viewer may see  <-> GameView
events        what one viewer may see happen  <-> GameEvent
requests      checks of what callers send; a fault names its field
serving       servicers without gRPC in them, bound to a gRPC server
"""
