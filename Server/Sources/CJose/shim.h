#include <cjose/cjose.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
