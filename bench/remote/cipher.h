// The work of TLS's cipher alone, by the library that does TLS.
#pragma once

#include <cstddef>
#include <vector>

#include "mbedtls/chachapoly.h"

namespace lathe::bench {

// Puts bytes under the cipher, or takes it off, in pieces as large as a record of TLS.
inline void Cipher(std::vector<char>& bulk, bool lock) {
  constexpr size_t kPiece = 16384;
  const unsigned char key[32] = {}, nonce[12] = {}, more[13] = {};
  mbedtls_chachapoly_context context;
  mbedtls_chachapoly_init(&context);
  mbedtls_chachapoly_setkey(&context, key);
  for (size_t at = 0; at + kPiece <= bulk.size(); at += kPiece) {
    auto* const bytes = reinterpret_cast<unsigned char*>(bulk.data()) + at;
    unsigned char tag[16] = {};
    if (lock) {
      mbedtls_chachapoly_encrypt_and_tag(&context, kPiece, nonce, more, sizeof(more), bytes, bytes,
                                         tag);
    } else {
      // The tag is wrong: the library reads all bytes before it says so.
      mbedtls_chachapoly_auth_decrypt(&context, kPiece, nonce, more, sizeof(more), tag, bytes,
                                      bytes);
    }
  }
  mbedtls_chachapoly_free(&context);
}

}  // namespace lathe::bench
