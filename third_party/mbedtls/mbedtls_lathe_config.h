// What Lathe needs of mbedTLS: HMAC over SHA-256. Everything else is left out.
#pragma once

#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C

#include "mbedtls/check_config.h"
