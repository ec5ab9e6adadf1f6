// A program in C++: a scope records the block that it stands in, however the block is left.
//
//     g++ -std=c++11 -O2 -pthread scopes.cc -o scopes
//     ./scopes && pando convert run.d run.pando
#include "pando_record.h"

#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static double mean(const std::vector<double> &values) {
	PANDO_SCOPE("mean");
	if (values.empty()) throw std::invalid_argument("nothing has no mean"); // the call ends here
	return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

static void part(int size) {
	PANDO_SCOPE("part");
	std::vector<double> values;
	{
		PANDO_SCOPE("fill");
		for (int i = 0; i < size; i++) values.push_back(i);
	}
	try {
		mean(values);
	} catch (const std::invalid_argument &) {
	}
}

int main() {
	if (pando_start(nullptr)) fprintf(stderr, "%s\n", pando_error());
	PANDO_SCOPE("main");
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++) threads.emplace_back(part, 1000 * i);
	for (auto &t : threads) t.join();
}
