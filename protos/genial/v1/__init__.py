"""The contract: messages and services, generated from the .proto files beside this."""
