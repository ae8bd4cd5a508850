// What Lathe needs of mbedTLS: HMAC over SHA-256, and TLS 1.2 with one cipher suite,
// ECDHE-PSK (X25519) with ChaCha20-Poly1305. Everything else is left out: no certificates, no
// sessions to resume, no renegotiation, no files, no clock, no sources of random numbers (callers
// give one).
#pragma once

#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C

#define MBEDTLS_SSL_TLS_C
#define MBEDTLS_SSL_CLI_C
#define MBEDTLS_SSL_SRV_C
#define MBEDTLS_SSL_PROTO_TLS1_2
#define MBEDTLS_SSL_EXTENDED_MASTER_SECRET
#define MBEDTLS_KEY_EXCHANGE_ECDHE_PSK_ENABLED
#define MBEDTLS_CIPHER_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
// Random numbers for blinding come from the caller, as all others do.
#define MBEDTLS_ECP_NO_INTERNAL_RNG
// Fast inner loops of the long multiplication, where there are some.
#define MBEDTLS_HAVE_ASM

#include "mbedtls/check_config.h"
