#include "lab/encrypt/line_cipher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace freshet::tool {
namespace {

using namespace std::string_view_literals;

std::string transformed(line_cipher& cipher, std::string_view line) {
  std::string room(cipher.room_for(line.size()), '?');
  room.resize(cipher.transform(line, room));
  return room;
}

std::string transformed(const cipher_plan& plan, std::string_view line) {
  line_cipher cipher{plan};
  return transformed(cipher, line);
}

std::string decrypted(std::string_view line) { return transformed(cipher_plan{.decrypt = true}, line); }

constexpr auto letter = "A"sv;
constexpr auto words = "The quick brown fox."sv;
constexpr auto blocks = "0123456789abcdef0123456789abcdef0"sv;
constexpr auto octets = "\x00\xFF\x00\x0D\x80\x7F"sv;

struct golden {
  cipher_kind cipher;
  unsigned work;
  std::string_view line;
  std::string_view text;
};

// Computed by other programs: a loop in Python, and `openssl enc -aes-256-ctr -K 000102…1f -iv <pass>0000000000000000`.
constexpr golden goldens[] = {
    {cipher_kind::xor_bytes, 1, letter, "QQ=="},
    {cipher_kind::xor_bytes, 1, words, "VGhlIHF1aWNrIGJyb3duIGZveC4="},
    {cipher_kind::xor_bytes, 1, blocks, "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYw"},
    {cipher_kind::xor_bytes, 1, octets, "AP8ADYB/"},
    {cipher_kind::xor_bytes, 2, letter, "QA=="},
    {cipher_kind::xor_bytes, 2, words, "VWlkIXB0aGJqIWNzbnZvIWdueS8="},
    {cipher_kind::xor_bytes, 2, blocks, "MTAzMjU0NzY5OGBjYmVkZzEwMzI1NDc2OThgY2JlZGcx"},
    {cipher_kind::xor_bytes, 2, octets, "Af4BDIF+"},
    {cipher_kind::xor_bytes, 3, letter, "Qg=="},
    {cipher_kind::xor_bytes, 3, words, "V2tmI3J2amBoI2FxbHRtI2Vsey0="},
    {cipher_kind::xor_bytes, 3, blocks, "MzIxMDc2NTQ7OmJhYGdmZTMyMTA3NjU0OzpiYWBnZmUz"},
    {cipher_kind::xor_bytes, 3, octets, "A/wDDoN8"},
    {cipher_kind::xor_bytes, 5, letter, "RQ=="},
    {cipher_kind::xor_bytes, 5, words, "UGxhJHVxbWdvJGZ2a3NqJGJrfCo="},
    {cipher_kind::xor_bytes, 5, blocks, "NDU2NzAxMjM8PWVmZ2BhYjQ1NjcwMTIzPD1lZmdgYWI0"},
    {cipher_kind::xor_bytes, 5, octets, "BPsECYR7"},
    {cipher_kind::xor_bytes, 7, letter, "Rg=="},
    {cipher_kind::xor_bytes, 7, words, "U29iJ3ZybmRsJ2V1aHBpJ2Fofyk="},
    {cipher_kind::xor_bytes, 7, blocks, "NzY1NDMyMTA/PmZlZGNiYTc2NTQzMjEwPz5mZWRjYmE3"},
    {cipher_kind::xor_bytes, 7, octets, "B/gHCod4"},
    {cipher_kind::aes, 1, letter, "sw=="},
    {cipher_kind::aes, 1, words, "pvhllls89rPC0/gYslkZoJYyDoA="},
    {cipher_kind::aes, 1, blocks, "wqEyhR58qeeRyvsIvkoS5sBsRJ1+jKnSns/6UyumU1s+"},
    {cipher_kind::aes, 1, octets, "8m8Au6o2"},
    {cipher_kind::aes, 2, letter, "4g=="},
    {cipher_kind::aes, 2, words, "9+WwecFU3c5mTGnQ3hZjY9b3Mm8="},
    {cipher_kind::aes, 2, blocks, "k7znaoQUgpo1VWrA0gVoJYCpeHLsY4S2oaxx0Ql9Td4P"},
    {cipher_kind::aes, 2, octets, "o3LVVDBe"},
    {cipher_kind::aes, 3, letter, "Ww=="},
    {cipher_kind::aes, 3, words, "To73wr3AxpaCkJJQ01mv5cjqeCo="},
    {cipher_kind::aes, 3, blocks, "Kteg0fiAmcLRiZFA30qko560MjejimM9aoGbhalcDwVr"},
    {cipher_kind::aes, 3, octets, "GhmS70zK"},
    {cipher_kind::aes, 5, letter, "rQ=="},
    {cipher_kind::aes, 5, words, "uCSNK6c5UxmU7HxlERd/jgX76xM="},
    {cipher_kind::aes, 5, blocks, "3H3aOOJ5DE3H9X91HQR0yFOloQ650zpeXzeFvnRK1hZ+"},
    {cipher_kind::aes, 5, octets, "7LPoBlYz"},
    {cipher_kind::aes, 7, letter, "CQ=="},
    {cipher_kind::aes, 7, words, "HMEfJtm5xjTmnmu+M2XHx7J+dQ8="},
    {cipher_kind::aes, 7, blocks, "eJhINZz5mWC1h2iuP3bMgeQgPxJUXPS5pWVDB//vRa2E"},
    {cipher_kind::aes, 7, octets, "SFZ6Cyiz"},
};

TEST(line_cipher, makes_these_bytes) {
  for (const golden& each : goldens) {
    SCOPED_TRACE(each.text);
    EXPECT_EQ(transformed({each.cipher, each.work, false}, each.line), each.text);
    EXPECT_EQ(transformed({each.cipher, each.work, true}, each.text), each.line);
  }
}

TEST(line_cipher, without_work_is_base64_alone) {
  for (const auto cipher : {cipher_kind::xor_bytes, cipher_kind::aes}) {
    const cipher_plan plan{.cipher = cipher, .work = 0};
    EXPECT_EQ(transformed(plan, ""), "");
    EXPECT_EQ(transformed(plan, "f"), "Zg==");
    EXPECT_EQ(transformed(plan, "fo"), "Zm8=");
    EXPECT_EQ(transformed(plan, "foo"), "Zm9v");
    EXPECT_EQ(transformed(plan, "foobar"), "Zm9vYmFy");
  }
}

TEST(line_cipher, starts_anew_for_each_line) {
  for (const golden& each : goldens) {
    line_cipher cipher{{each.cipher, each.work, false}};
    std::ignore = transformed(cipher, "a line before, longer than the one that follows");
    EXPECT_EQ(transformed(cipher, each.line), each.text);
  }
}

TEST(line_cipher, keeps_its_plan_when_moved) {
  line_cipher first{{cipher_kind::aes, 3, false}};
  line_cipher cipher{std::move(first)};
  EXPECT_EQ(transformed(cipher, letter), "Ww==");
  cipher = line_cipher{{cipher_kind::xor_bytes, 3, false}};
  EXPECT_EQ(transformed(cipher, letter), "Qg==");
}

TEST(line_cipher, counts_xor_passes_modulo_256) {
  // Passes 0 to 255 cancel out, as every group of four passes does.
  EXPECT_EQ(transformed({cipher_kind::xor_bytes, 256, false}, letter), "QQ==");
  EXPECT_EQ(transformed({cipher_kind::xor_bytes, 258, false}, letter), "QA==");
}

TEST(line_cipher, counts_aes_passes_beyond_a_byte) {
  EXPECT_EQ(transformed({cipher_kind::aes, 300, false}, words), "C2r7tjO5bCZhJNmPcncnsWMMqwc=");
}

// The lines are longer than the pieces that OpenSSL is given.
TEST(line_cipher, takes_lines_of_megabytes) {
  std::string line(std::size_t{7} << 20, '\0');
  for (std::size_t at = 0; at < line.size(); ++at) line[at] = static_cast<char>(at * at >> 7);
  for (const auto cipher : {cipher_kind::xor_bytes, cipher_kind::aes}) {
    const std::string whole = transformed({cipher, 3, false}, line);
    EXPECT_EQ(transformed({cipher, 3, true}, whole), line);
    // Base64 encodes groups of three bytes; 999 is a multiple of three, so its text begins the whole text.
    const std::string_view front = std::string_view{line}.substr(0, 999);
    EXPECT_EQ(transformed({cipher, 3, false}, front), whole.substr(0, 1332));
  }
}

RC_GTEST_PROP(line_cipher_property, decrypting_gives_the_line_back, (std::string line, bool aes)) {
  const auto cipher = aes ? cipher_kind::aes : cipher_kind::xor_bytes;
  const auto work = *rc::gen::inRange(0U, 20U);
  const std::string text = transformed({cipher, work, false}, line);
  RC_ASSERT(text.size() == (line.size() + 2) / 3 * 4);
  RC_ASSERT(text.find_first_of("\n\r") == text.npos);
  RC_ASSERT(transformed({cipher, work, true}, text) == line);
}

RC_GTEST_PROP(line_cipher_property, what_is_not_refused_is_base64_of_what_it_gives, (std::string plain)) {
  constexpr auto any = "AQgwz+/9=- \t\r\nA"sv;
  std::string text = transformed(cipher_plan{}, plain);
  const auto changes = *rc::gen::inRange(0, 3);
  for (int change = 0; change < changes && !text.empty(); ++change)
    text[*rc::gen::inRange(std::size_t{0}, text.size())] = *rc::gen::elementOf(std::string{any});
  std::string back;
  try {
    back = decrypted(text);
  } catch (const std::invalid_argument&) {
    RC_TAG("refused");
    return;
  }
  RC_ASSERT(transformed(cipher_plan{}, back) == text);
}

TEST(line_cipher, refuses_what_is_not_base64) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"A", "length"},
      {"Zg", "length"},
      {"Zm9vY", "length"},
      {"Zm9v\r", "length"},
      {"Zg=a", "before"},
      {"Z===", "before"},
      {"====", "before"},
      {"Zg==Zg==", "before"},
      {"=m9v", "before"},
      {"Zm9!", "alphabet"},
      {"    Zm9v", "alphabet"},
      {"Zm9v    ", "alphabet"},
      {"Zm9v\n\n\n\n", "alphabet"},
      {"Zm-_", "alphabet"},
      {"Zm\x80v", "alphabet"},
      {"Zm\0v"sv, "alphabet"},
      {"Zh==", "bits"},
      {"Zm9=", "bits"},
      {"Z\r\nv", "alphabet"},
      {"-m9v", "alphabet"},
  };
  for (const auto& [text, why] : cases) {
    SCOPED_TRACE(text);
    EXPECT_THAT([text = text] { std::ignore = decrypted(text); },
                testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(why)));
  }
}

TEST(line_cipher, goes_on_after_a_line_that_it_refused) {
  line_cipher cipher{{cipher_kind::aes, 3, true}};
  EXPECT_THROW(std::ignore = transformed(cipher, "Ww="), std::invalid_argument);
  EXPECT_EQ(transformed(cipher, "Ww=="), letter);
}

}  // namespace
}  // namespace freshet::tool
