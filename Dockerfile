# The program alone, for CI: docker build -t posetta . && docker run --rm -v "$PWD:/work" posetta check run.jsonl --spec checks.props
FROM rust:1.88-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked -p posetta-cli \
    && tools/package target/dist/posetta /stage

FROM debian:bookworm-slim
COPY --from=build /stage/bin/posetta /usr/local/bin/posetta
COPY --from=build /stage/share/man/man1 /usr/local/share/man/man1
COPY --from=build /stage/share/doc/posetta /usr/local/share/doc/posetta
# Files that it writes belong to nobody in particular; docker run --user "$(id -u)" makes them yours.
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["posetta"]
CMD ["--help"]
