// The header is C++ as well, and may be included twice.
#include "heddle.h"
#include "heddle.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

struct Free {
	void operator()(const void *p) const { heddle_free(p); }
};

template <typename T>
using Block = std::unique_ptr<T, Free>;

} // namespace

int main() {
	static_assert(sizeof(heddle_isa) == 8 && sizeof(heddle_status) == 4, "handles and statuses have fixed sizes");
	if (heddle_abi() != HEDDLE_ABI)
		return 1;
	heddle_isa isa = 0;
	heddle_error *said = nullptr;
	if (heddle_isa_find("attila", &isa, &said) != HEDDLE_OK)
		return 1;
	heddle_assembly *made = nullptr;
	heddle_status status = heddle_assemble(isa, "mul r0, r1, q2", HEDDLE_ZERO_TERMINATED, 0, &made, &said);
	Block<heddle_error> error(said);
	if (status != HEDDLE_ETEXT || !error || error->item_count != 1 || error->items[0].line != 1)
		return 1;
	if (heddle_assemble(isa, "mul r0, r1, r2", HEDDLE_ZERO_TERMINATED, 0, &made, nullptr) != HEDDLE_OK)
		return 1;
	Block<heddle_assembly> code(made);
	heddle_instruction *decoded = nullptr;
	if (heddle_decode(isa, code->code, code->size, 0, &decoded, nullptr) != HEDDLE_OK)
		return 1;
	Block<heddle_instruction> in(decoded);
	std::printf("%s\n", in->text);
	return heddle_close(isa) == HEDDLE_OK && std::string(in->text) == "mul r0, r1, r2" ? 0 : 1;
}
