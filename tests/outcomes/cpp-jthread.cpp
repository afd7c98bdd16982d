// A jthread is asked to stop and waited for; it sees the request after so many rounds, here at most two.
// heddle: flags = -std=c++20 -O1
// heddle: outcome = 0
// heddle: outcome = 1
// heddle: outcome = 2
#include <cstdio>
#include <thread>
static int rounds;
int main() {
    {
        std::jthread worker([](std::stop_token stop) {
            while (rounds < 2 && !stop.stop_requested())
                rounds++;
        });
    }
    std::printf("%d\n", rounds);
}
