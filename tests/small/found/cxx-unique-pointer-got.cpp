// A pointer that was taken out of a unique pointer outlives it.
//
// heddle: kind = memory
#include <memory>

int main()
{
    int *raw = nullptr;
    {
        auto owner = std::make_unique<int>(5);
        raw = owner.get();
    }
    return *raw == 77;
}
